/// A position in a history, such as a cursor, in the forms in which services and proxies write it.
///
/// ```
/// k3x9q2-17          the id of an event
/// "k3x9q2-17"        an entity tag
/// "k3x9q2-17+gzip"   that of a compressed response
/// W/"k3x9q2-17"      one that a proxy has weakened because it has compressed the response
/// "k3x9q2-17-gzip"   the same, by another proxy
/// ```
package enum PositionText {
  private static let codings = ["gzip", "br", "zstd", "deflate"].map { Array($0.utf8) }

  /// Returns the position without the parts that depend on the form; any other text as it is.
  package static func plain(_ text: some StringProtocol) -> Substring {
    var rest = Substring(text).utf8
    while let first = rest.first, isSpace(first) { rest.removeFirst() }
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    let quote = UInt8(ascii: "\"")
    let tag = rest.starts(with: "W/\"".utf8) ? rest.dropFirst(2) : rest
    if tag.count >= 2, tag.first == quote, tag.last == quote { rest = tag.dropFirst().dropLast() }
    return Substring(withoutCoding(rest))
  }

  /// Returns an entity tag without its quotes and without the suffix of a content coding.
  private static func withoutCoding(_ tag: Substring.UTF8View) -> Substring.UTF8View {
    var tag = tag
    while let coding = codings.first(where: { tag.reversed().starts(with: $0.reversed()) }) {
      var rest = tag.dropLast(coding.count)
      guard let last = rest.last, isSeparator(last) else { break }
      while let last = rest.last, isSeparator(last) { rest.removeLast() }
      tag = rest
    }
    return tag
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// A plus that a client has not encoded in a query is read as a space.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: ";"): true
    default: false
    }
  }
}
