/// A value of a parsed document; retains the document.
public struct JSONElement: Sendable {
  let document: JSONDocument
  let node: UInt32

  private var entry: JSONNode { document.node(node) }

  /// The kind of the value.
  public var kind: JSONKind { entry.kind }

  /// The bytes of the value in the text, without surrounding whitespace.
  public var bytes: ArraySlice<UInt8> {
    document.bytes[Int(entry.start)..<Int(entry.end)]
  }

  /// The byte offset of the value in the text.
  public var offset: Int { Int(entry.start) }

  /// Whether the value is `null`.
  public var isNull: Bool { entry.kind == .null }

  /// The value of a boolean, or `nil` for other kinds.
  public var boolean: Bool? {
    entry.kind == .boolean ? document.bytes[Int(entry.start)] == ASCII.lowerT : nil
  }

  /// The content of a string, or `nil` for other kinds.
  public var string: String? {
    entry.kind == .string ? document.string(entry) : nil
  }

  /// The number as written, or `nil` for other kinds.
  public var number: JSONNumber? {
    entry.kind == .number ? JSONNumber(checked: String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// The elements of an array, or `nil` for other kinds.
  public var elements: [JSONElement]? {
    guard entry.kind == .array else { return nil }
    var elements: [JSONElement] = []
    elements.reserveCapacity(Int(entry.count))
    var index = node + 1
    while index < entry.next {
      elements.append(JSONElement(document: document, node: index))
      index = document.node(index).next
    }
    return elements
  }

  /// The members of an object in source order, duplicates included, or `nil` for other kinds.
  public var members: [(name: String, value: JSONElement)]? {
    guard entry.kind == .object else { return nil }
    var members: [(name: String, value: JSONElement)] = []
    members.reserveCapacity(Int(entry.count))
    var index = node + 1
    while index < entry.next {
      let value = JSONElement(document: document, node: index + 1)
      members.append((document.string(document.node(index)), value))
      index = document.node(index + 1).next
    }
    return members
  }

  /// The number of members of an object or of elements of an array, at most 65,535.
  package var count: Int { Int(entry.count) }

  /// Calls a function with the members of an object in source order, duplicates included, while it returns `true`.
  ///
  /// - Returns: Whether the value is an object, and all calls returned `true`.
  package func allMembersSatisfy(_ predicate: (String, JSONElement) -> Bool) -> Bool {
    guard entry.kind == .object else { return false }
    var index = node + 1
    while index < entry.next {
      let value = JSONElement(document: document, node: index + 1)
      guard predicate(document.string(document.node(index)), value) else { return false }
      index = document.node(index + 1).next
    }
    return true
  }

  /// The last member with this name, or `nil` if there is none or the value is no object.
  public subscript(name: String) -> JSONElement? {
    guard entry.kind == .object else { return nil }
    return document.member(named: name, of: node).map {
      JSONElement(document: document, node: $0)
    }
  }

  /// The element at this position, or `nil` if out of range or the value is no array.
  public subscript(position: Int) -> JSONElement? {
    guard entry.kind == .array, position >= 0 else { return nil }
    var index = node + 1
    var remaining = position
    while index < entry.next {
      if remaining == 0 { return JSONElement(document: document, node: index) }
      remaining -= 1
      index = document.node(index).next
    }
    return nil
  }

  /// The pointer to this value from the root of the document.
  public var pointer: JSONPointer {
    JSONPointer(tokens: document.path(to: node).map(\.stringValue))
  }
}
