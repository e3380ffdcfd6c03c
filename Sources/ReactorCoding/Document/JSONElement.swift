/// One value of a parsed document: a view that keeps the document alive.
public struct JSONElement: Sendable {
  let document: JSONDocument
  let node: UInt32

  private var entry: JSONNode { document.node(node) }

  /// What the value is.
  public var kind: JSONKind { entry.kind }

  /// The bytes of the value as they stand in the text, without whitespace around them.
  public var bytes: ArraySlice<UInt8> {
    document.bytes[Int(entry.start)..<Int(entry.end)]
  }

  /// Where the value starts in the text, in bytes from 0.
  public var offset: Int { Int(entry.start) }

  /// Whether the value is `null`.
  public var isNull: Bool { entry.kind == .null }

  /// The value, if it is `true` or `false`.
  public var boolean: Bool? {
    entry.kind == .boolean ? document.bytes[Int(entry.start)] == ASCII.lowerT : nil
  }

  /// The content, if the value is a string.
  public var string: String? {
    entry.kind == .string ? document.string(entry) : nil
  }

  /// The number as it was written, if the value is one.
  public var number: JSONNumber? {
    entry.kind == .number ? JSONNumber(checked: String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// The elements, if the value is an array.
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

  /// The members in the order of the text, if the value is an object; a repeated name included.
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

  /// The member with this name (the last one of several), if the value is an object that has it.
  public subscript(name: String) -> JSONElement? {
    guard entry.kind == .object else { return nil }
    return document.member(named: name, of: node).map {
      JSONElement(document: document, node: $0)
    }
  }

  /// The element at this position, if the value is an array that is long enough.
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

  /// The pointer from the whole document to this value.
  public var pointer: JSONPointer {
    JSONPointer(tokens: document.path(to: node).map(\.stringValue))
  }
}
