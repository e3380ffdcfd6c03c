/// A strict RFC 8259 parser that turns a text into a tape of nodes.
///
/// The `next` of an open container links to its parent, so that nesting needs neither recursion nor
/// a separate stack.
struct JSONParser {
  var nodes: [JSONNode] = []
  var position = 0
  let depthLimit: Int

  /// The innermost open container.
  private(set) var open = JSONNode.noParent
  private var depth = 0

  /// A text that is parsed already, and resembles this one.
  var former: JSONDocument?
  /// Its containers at the places of the open ones.
  var containers: [FormerContainer] = []
  /// Its value at the place of the value that is parsed next.
  var pair: UInt32?
  /// The bytes that the last comparison has found equal, and the distance between both texts.
  var compared: (from: Int, end: Int, moved: UInt32) = (-1, -1, 0)

  init(depthLimit: Int) {
    self.depthLimit = depthLimit
  }

  /// Parses the complete text into `nodes`.
  mutating func parse(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    guard text.count < Int(UInt32.max) else {
      throw JSONSyntaxError(offset: Int(UInt32.max), reason: "The text is longer than 4 GiB.")
    }
    if former == nil { nodes.reserveCapacity(min(text.count / 4 + 4, 4096)) }
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      throw JSONSyntaxError(offset: 0, reason: "A byte order mark is not allowed.")
    }
    repeat {
      try value(text)
    } while try separator(text)
  }

  /// Parses a scalar, an empty container, or the opening of a container and its first member name.
  private mutating func value(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    while true {
      if let former {
        skipWhitespace(text)
        if copyValue(text, from: former) { return }
      }
      switch try significantByte(text, expecting: "a value") {
      case ASCII.quote:
        let start = position
        let hasEscapes = try string(text)
        append(.string, from: start, hasEscapes: hasEscapes)
        return
      case ASCII.openBrace:
        try beginContainer(.object)
        if try significantByte(text, expecting: "a member name or }") == ASCII.closeBrace {
          endContainer()
          return
        }
        try memberName(text, expecting: "a member name or }")
      case ASCII.openBracket:
        try beginContainer(.array)
        if try significantByte(text, expecting: "a value or ]") == ASCII.closeBracket {
          endContainer()
          return
        }
      case ASCII.lowerT:
        try literal(text, "true", .boolean)
        return
      case UInt8(ascii: "f"):
        try literal(text, "false", .boolean)
        return
      case UInt8(ascii: "n"):
        try literal(text, "null", .null)
        return
      case ASCII.minus, ASCII.zero...ASCII.nine:
        let start = position
        try number(text)
        append(.number, from: start, hasEscapes: false)
        return
      default:
        throw JSONSyntaxError(offset: position, reason: "A value is expected here.")
      }
    }
  }

  /// Parses the closings after a value, then a comma (and the next member name) or the end.
  ///
  /// - Returns: Whether another value follows.
  private mutating func separator(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
    while open != JSONNode.noParent {
      let isObject = nodes[Int(open)].kind == .object
      let expected = isObject ? ", or }" : ", or ]"
      switch try significantByte(text, expecting: expected) {
      case ASCII.comma:
        position += 1
        if isObject { try memberName(text, expecting: "a member name") }
        return true
      case ASCII.closeBrace where isObject, ASCII.closeBracket where !isObject:
        endContainer()
      default:
        throw JSONSyntaxError(offset: position, reason: "\(expected) is expected here.")
      }
    }
    skipWhitespace(text)
    guard position == text.count else {
      throw JSONSyntaxError(offset: position, reason: "Nothing may follow the value.")
    }
    return false
  }

  private mutating func memberName(
    _ text: Span<UInt8>, expecting expected: String
  ) throws(JSONSyntaxError) {
    guard try significantByte(text, expecting: expected) == ASCII.quote else {
      throw JSONSyntaxError(
        offset: position, reason: "A member name in double quotes is expected here.")
    }
    let start = position
    let hasEscapes = try string(text)
    nodes.append(
      JSONNode(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: position),
        next: UInt32(truncatingIfNeeded: nodes.count + 1), count: 0, kind: .string,
        hasEscapes: hasEscapes))
    guard try significantByte(text, expecting: ":") == ASCII.colon else {
      throw JSONSyntaxError(offset: position, reason: ": is expected here.")
    }
    position += 1
  }

  private mutating func beginContainer(_ kind: JSONKind) throws(JSONSyntaxError) {
    guard depth < depthLimit else {
      throw JSONSyntaxError(
        offset: position, reason: "Arrays and objects are nested deeper than \(depthLimit).")
    }
    depth += 1
    if let former { enterContainer(kind, of: former) }
    let parent = open
    let index = UInt32(truncatingIfNeeded: nodes.count)
    append(kind, from: position, hasEscapes: false)
    nodes[Int(index)].next = parent
    open = index
    position += 1
  }

  private mutating func endContainer() {
    position += 1
    depth -= 1
    if former != nil { containers.removeLast() }
    let index = Int(open)
    open = nodes[index].next
    nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    nodes[index].end = UInt32(truncatingIfNeeded: position)
  }

  private mutating func append(_ kind: JSONKind, from start: Int, hasEscapes: Bool) {
    if open != JSONNode.noParent, nodes[Int(open)].count < .max { nodes[Int(open)].count += 1 }
    // No bits are lost: the text is shorter than 4 GiB and has more bytes than nodes.
    nodes.append(
      JSONNode(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: position),
        next: UInt32(truncatingIfNeeded: nodes.count + 1), count: 0, kind: kind,
        hasEscapes: hasEscapes))
  }

  private mutating func literal(
    _ text: Span<UInt8>, _ word: String, _ kind: JSONKind
  ) throws(JSONSyntaxError) {
    let start = position
    for expected in word.utf8 {
      guard position < text.count else { throw endsTooSoon(text, expecting: word) }
      guard text[position] == expected else {
        throw JSONSyntaxError(offset: position, reason: "\(word) is expected here.")
      }
      position += 1
    }
    append(kind, from: start, hasEscapes: false)
  }

  /// Skips whitespace and returns the next byte without consuming it.
  @inline(__always)
  private mutating func significantByte(
    _ text: Span<UInt8>, expecting expected: @autoclosure () -> String
  ) throws(JSONSyntaxError) -> UInt8 {
    skipWhitespace(text)
    guard position < text.count else { throw endsTooSoon(text, expecting: expected()) }
    return text[position]
  }

  @inline(__always)
  private mutating func skipWhitespace(_ text: Span<UInt8>) {
    while position < text.count {
      switch text[position] {
      case ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, ASCII.tab: position += 1
      default: return
      }
    }
  }

  func endsTooSoon(_ text: Span<UInt8>, expecting expected: String) -> JSONSyntaxError {
    JSONSyntaxError(
      offset: text.count, reason: "The text ends too soon; expected \(expected).")
  }
}
