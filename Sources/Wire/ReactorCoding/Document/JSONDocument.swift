/// A parsed JSON text: the bytes and a tape that locates each value in them.
///
/// Parsing is strict: RFC 8259, UTF-8 without a byte order mark, paired surrogates, bounded depth.
/// Numbers and strings are converted on access, so no digits are lost. The last of several members
/// with the same name wins, as in browsers; rejecting duplicates would slow down every well-formed
/// text.
public final class JSONDocument: Sendable {
  /// The default limit for nested arrays and objects.
  public static let defaultDepthLimit = 512

  /// The limit for a value that other JSON contains: an action, a mutation or a State.
  ///
  /// The log, events and responses nest it in at most 12 more arrays and objects.
  public static let embeddedDepthLimit = 500

  /// The parsed text.
  public let bytes: [UInt8]

  let nodes: [JSONNode]

  /// The object whose members replace those that the top-level object lacks when it is decoded.
  let rootDefaults: JSONDocument?

  /// Parses a complete text.
  ///
  /// - Parameters:
  ///   - bytes: The text; retained, not copied.
  ///   - depthLimit: The maximum depth of nested arrays and objects.
  /// - Throws: The position and reason of the first syntax error.
  public convenience init(
    parsing bytes: [UInt8], depthLimit: Int = defaultDepthLimit
  ) throws(JSONSyntaxError) {
    try self.init(parsing: bytes, depthLimit: depthLimit, rootDefaults: nil)
  }

  /// Parses a complete text that resembles one that was parsed with the same limit, in less time.
  ///
  /// - Throws: The position and reason of the first syntax error.
  package init(parsing bytes: [UInt8], after former: JSONDocument) throws(JSONSyntaxError) {
    var parser = JSONParser(depthLimit: Self.defaultDepthLimit)
    try parser.parse(bytes.span, after: former)
    self.bytes = bytes
    self.nodes = parser.nodes
    self.rootDefaults = nil
  }

  init(
    parsing bytes: [UInt8], depthLimit: Int, rootDefaults: JSONDocument?
  ) throws(JSONSyntaxError) {
    var parser = JSONParser(depthLimit: depthLimit)
    try parser.parse(bytes.span)
    self.bytes = bytes
    self.nodes = parser.nodes
    self.rootDefaults = rootDefaults
  }

  /// The top-level value.
  public var root: JSONElement {
    JSONElement(document: self, node: 0)
  }

  @inline(__always)
  func node(_ index: UInt32) -> JSONNode {
    nodes[Int(index)]
  }

  /// Returns the content of a string with escapes resolved.
  func string(_ node: JSONNode) -> String {
    let bytes = bytes
    let content = bytes.span.extracting(Int(node.start) + 1..<Int(node.end) - 1)
    guard !node.hasEscapes else { return JSONEscapes.resolve(content) }
    // The parser has validated the UTF-8.
    return unsafe String(copying: UTF8Span(unchecked: content))
  }

  /// Whether the content of a string equals `text` byte by byte.
  func isString(_ node: JSONNode, equalTo text: String) -> Bool {
    isString(node, equalTo: text.utf8.span)
  }

  /// Whether the content of a string equals `text` byte by byte.
  @inline(__always)
  private func isString(_ node: JSONNode, equalTo text: Span<UInt8>) -> Bool {
    guard !node.hasEscapes else { return isEqual(string(node).utf8.span, text) }
    guard Int(node.end - node.start) == text.count + 2 else { return false }
    let bytes = bytes
    return isEqual(bytes.span.extracting(Int(node.start) + 1..<Int(node.end) - 1), text)
  }

  @inline(__always)
  private func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  /// Returns the value node of an object's last member with this name.
  func member(named name: String, of object: UInt32) -> UInt32? {
    let text = name.utf8.span
    var found: UInt32?
    var index = object + 1
    let end = node(object).next
    while index < end {
      if isString(node(index), equalTo: text) { found = index + 1 }
      index = node(index + 1).next
    }
    return found
  }
}
