/// A JSON Patch (RFC 6902): operations that transform one JSON value into another.
public struct JSONPatch: Hashable, Sendable {
  /// A single operation.
  public enum Operation: Hashable, Sendable {
    case add(JSONPointer, JSONValue)
    case remove(JSONPointer)
    case replace(JSONPointer, JSONValue)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSONValue)
  }

  /// The operations, in order.
  public var operations: [Operation]

  /// Creates a patch from its operations.
  public init(_ operations: [Operation]) {
    self.operations = operations
  }

  /// Decodes a patch as written in RFC 6902; unknown members are ignored.
  ///
  /// - Throws: The index of the first invalid operation.
  public init(_ element: JSONElement) throws(JSONPatchError) {
    guard let elements = element.elements else {
      throw JSONPatchError(operation: nil, reason: "A patch is an array of operations.")
    }
    operations = []
    operations.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(OperationError) {
        operations.append(try Self.operation(element))
      } catch {
        throw JSONPatchError(operation: index, reason: error.reason)
      }
    }
  }

  /// The problem of an operation whose index is not known yet.
  struct OperationError: Error {
    let reason: String
  }

  private static func operation(_ element: JSONElement) throws(OperationError) -> Operation {
    guard let members = element.members else {
      throw OperationError(reason: "An operation is an object.")
    }
    guard members.count(where: { $0.name == "op" }) == 1, let name = element["op"]?.string else {
      throw OperationError(reason: "An operation has one member op, a string.")
    }
    let path = try pointer(element, "path")
    switch name {
    case "add": return .add(path, try value(element))
    case "remove": return .remove(path)
    case "replace": return .replace(path, try value(element))
    case "move": return .move(from: try pointer(element, "from"), to: path)
    case "copy": return .copy(from: try pointer(element, "from"), to: path)
    case "test": return .test(path, try value(element))
    default: throw OperationError(reason: "There is no operation of this name.")
    }
  }

  private static func pointer(
    _ element: JSONElement, _ name: String
  ) throws(OperationError) -> JSONPointer {
    guard let text = element[name]?.string else {
      throw OperationError(reason: "The operation has no \(name), a string.")
    }
    do {
      return try JSONPointer(text)
    } catch {
      throw OperationError(reason: "The \(name) is no JSON Pointer: \(error.reason)")
    }
  }

  private static func value(_ element: JSONElement) throws(OperationError) -> JSONValue {
    guard let value = element["value"] else {
      throw OperationError(reason: "The operation has no value.")
    }
    return JSONValue(value)
  }
}

/// Why a patch cannot be decoded or applied.
public struct JSONPatchError: Error, Hashable, Sendable {
  /// The index of the operation, or `nil` if the patch as a whole is invalid.
  public var operation: Int?

  /// One sentence that states the problem.
  public var reason: String

  /// Creates an error; called when a patch is decoded or applied.
  public init(operation: Int?, reason: String) {
    self.operation = operation
    self.reason = reason
  }
}
