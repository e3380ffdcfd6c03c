/// A JSON Patch (RFC 6902): steps that make one JSON value of another.
public struct JSONPatch: Hashable, Sendable {
  /// One step.
  public enum Operation: Hashable, Sendable {
    case add(JSONPointer, JSONValue)
    case remove(JSONPointer)
    case replace(JSONPointer, JSONValue)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSONValue)
  }

  /// The steps, in order.
  public var operations: [Operation]

  /// Makes a patch from its steps.
  public init(_ operations: [Operation]) {
    self.operations = operations
  }

  /// Reads a patch as RFC 6902 writes it; members that it does not know are ignored.
  ///
  /// - Throws: Which step is none.
  public init(_ element: JSONElement) throws(JSONPatchError) {
    guard let elements = element.elements else {
      throw JSONPatchError(operation: nil, reason: "A patch is an array of operations.")
    }
    operations = []
    operations.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(Flaw) {
        operations.append(try Self.operation(element))
      } catch {
        throw JSONPatchError(operation: index, reason: error.reason)
      }
    }
  }

  /// What is wrong with a step, before it is known which one it is.
  struct Flaw: Error {
    let reason: String
  }

  private static func operation(_ element: JSONElement) throws(Flaw) -> Operation {
    guard let members = element.members else {
      throw Flaw(reason: "An operation is an object.")
    }
    guard members.count(where: { $0.name == "op" }) == 1, let name = element["op"]?.string else {
      throw Flaw(reason: "An operation has one member op, a string.")
    }
    let path = try pointer(element, "path")
    switch name {
    case "add": return .add(path, try value(element))
    case "remove": return .remove(path)
    case "replace": return .replace(path, try value(element))
    case "move": return .move(from: try pointer(element, "from"), to: path)
    case "copy": return .copy(from: try pointer(element, "from"), to: path)
    case "test": return .test(path, try value(element))
    default: throw Flaw(reason: "There is no operation of this name.")
    }
  }

  private static func pointer(
    _ element: JSONElement, _ name: String
  ) throws(Flaw) -> JSONPointer {
    guard let text = element[name]?.string else {
      throw Flaw(reason: "The operation has no \(name), a string.")
    }
    do {
      return try JSONPointer(text)
    } catch {
      throw Flaw(reason: "The \(name) is no JSON Pointer: \(error.reason)")
    }
  }

  private static func value(_ element: JSONElement) throws(Flaw) -> JSONValue {
    guard let value = element["value"] else {
      throw Flaw(reason: "The operation has no value.")
    }
    return JSONValue(value)
  }
}

/// Why a patch cannot be read or applied.
public struct JSONPatchError: Error, Hashable, Sendable {
  /// Which operation it is, counted from 0; `nil` where it is the patch as a whole.
  public var operation: Int?

  /// What is wrong with it: one sentence for people.
  public var reason: String

  /// Makes an error; reading and applying a patch call this.
  public init(operation: Int?, reason: String) {
    self.operation = operation
    self.reason = reason
  }
}
