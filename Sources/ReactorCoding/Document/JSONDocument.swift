/// A parsed JSON text: its bytes, and a tape that says where each value stands in them.
///
/// Parsing is strict (RFC 8259, UTF-8 without a byte order mark, paired surrogates, bounded depth).
/// Numbers and strings are converted when somebody asks, so that nothing is lost on the way. Of
/// members with the same name the last one counts, as it does in browsers: the grammar allows them,
/// and to refuse them would cost every well-formed text.
public final class JSONDocument: Sendable {
  /// How deep arrays and objects may be nested unless the caller says otherwise.
  public static let defaultDepthLimit = 512

  /// The text that was parsed.
  public let bytes: [UInt8]

  let nodes: [JSONNode]

  /// Parses a whole text.
  ///
  /// - Parameters:
  ///   - bytes: The text. It is kept, not copied.
  ///   - depthLimit: How deep arrays and objects may be nested.
  /// - Throws: Where and why the text is not JSON.
  public init(
    parsing bytes: [UInt8], depthLimit: Int = defaultDepthLimit
  ) throws(JSONSyntaxError) {
    var parser = JSONParser(depthLimit: depthLimit)
    try parser.parse(bytes.span)
    self.bytes = bytes
    self.nodes = parser.nodes
  }

  /// The value that the text is.
  public var root: JSONElement {
    JSONElement(document: self, node: 0)
  }

  @inline(__always)
  func node(_ index: UInt32) -> JSONNode {
    nodes[Int(index)]
  }

  /// Calls `body` with the bytes between the quotes of a string, as they stand in the text.
  @inline(__always)
  func withRawContent<Result>(
    of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[Int(node.start) + 1..<Int(node.end) - 1]))
    }
  }

  /// The content of a string, escapes resolved.
  func string(_ node: JSONNode) -> String {
    withRawContent(of: node) {
      node.hasEscapes ? JSONEscapes.resolve($0) : String(decoding: $0, as: UTF8.self)
    }
  }

  /// Whether a string node's content is exactly this text, byte by byte.
  @inline(__always)
  private func isString(_ node: JSONNode, equalTo text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !node.hasEscapes else { return string(node).utf8.elementsEqual(text) }
    guard Int(node.end - node.start) == text.count + 2 else { return false }
    return withRawContent(of: node) { content in
      for index in 0..<text.count where content[index] != text[index] { return false }
      return true
    }
  }

  /// The value node of an object's last member with this name.
  func member(named name: String, of object: UInt32) -> UInt32? {
    var name = name
    return name.withUTF8 { text in
      let nodes = nodes
      var found: UInt32?
      var index = object + 1
      let end = nodes[Int(object)].next
      while index < end {
        if isString(nodes[Int(index)], equalTo: text) { found = index + 1 }
        index = nodes[Int(index) + 1].next
      }
      return found
    }
  }
}
