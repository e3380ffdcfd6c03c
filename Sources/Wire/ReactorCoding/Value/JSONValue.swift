/// A JSON value that can be built and compared; parsed texts are read through `JSONElement`.
///
/// Texts are equal if their bytes are: JSON has no canonical equivalence.
public enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// The members, in output order.
  case object([Member])

  /// A member of an object.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String

    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Copies a parsed value.
  ///
  /// Recursion is bounded by the depth limit of the document.
  public init(_ element: JSONElement) {
    switch element.kind {
    case .null: self = .null
    case .boolean: self = .boolean(element.boolean ?? false)
    case .number: self = element.number.map(JSONValue.number) ?? .null
    case .string: self = .string(element.string ?? "")
    case .array: self = .array((element.elements ?? []).map { JSONValue($0) })
    case .object:
      self = .object((element.members ?? []).map { Member($0.name, JSONValue($0.value)) })
    }
  }

  /// The last member with this name, or `nil` if there is none or the value is no object.
  ///
  /// Assigning replaces the member in place or appends it; assigning `nil` removes it. Has no
  /// effect on a value that is no object.
  public subscript(name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.name.hasSameBytes(as: name) }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let position = members.lastIndex { $0.name.hasSameBytes(as: name) }
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): members.remove(at: position)
      case (nil, let value?): members.append(Member(name, value))
      case (nil, nil): return
      }
      self = .object(members)
    }
  }

  /// The compact JSON text.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  /// Appends the text, and omits arrays and objects that are nested deeper than a limit.
  ///
  /// - Returns: The depth; larger than the limit if a value was omitted.
  @discardableResult
  func write(to output: inout [UInt8], depthLimit: Int = .max) -> Int {
    var inner = 0
    switch self {
    case .null: output.appendJSONNull()
    case .boolean(let value): output.appendJSON(value)
    case .number(let value): output.append(contentsOf: value.text.utf8)
    case .string(let value): output.appendJSON(value)
    case .array(let elements):
      guard depthLimit > 0 else { return 1 }
      output.append(ASCII.openBracket)
      for (position, element) in elements.enumerated() {
        if position > 0 { output.append(ASCII.comma) }
        inner = max(inner, element.write(to: &output, depthLimit: depthLimit - 1))
      }
      output.append(ASCII.closeBracket)
      return inner + 1
    case .object(let members):
      guard depthLimit > 0 else { return 1 }
      output.append(ASCII.openBrace)
      for (position, member) in members.enumerated() {
        if position > 0 { output.append(ASCII.comma) }
        output.appendJSON(member.name)
        output.append(ASCII.colon)
        inner = max(inner, member.value.write(to: &output, depthLimit: depthLimit - 1))
      }
      output.append(ASCII.closeBrace)
      return inner + 1
    }
    return 0
  }
}
