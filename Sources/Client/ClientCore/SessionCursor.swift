internal import ReactorCoding

/// A position in the history of a session, as clients see it: `{epoch}-{version}`.
///
/// Separate from the `Cursor` of the log: an app does not link the log, and for a client the epoch
/// is an opaque text, so that a server can change its format.
public struct SessionCursor: Hashable, Sendable, CustomStringConvertible {
  /// Identifies the history; a session that is created again has another one.
  public let epoch: String

  /// The number of mutations in the State.
  public let version: Int

  /// Creates a cursor.
  public init(epoch: String, version: Int) {
    self.epoch = epoch
    self.version = version
  }

  /// Parses a cursor in any form in which a server or a proxy writes one: as the id of an event, or as an
  /// entity tag, also a weak one and one with the suffix of a content coding.
  ///
  /// - Returns: `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(PositionText.plain(text).utf8)
    guard bytes.count <= 64, let dash = bytes.lastIndex(of: UInt8(ascii: "-")),
      dash > bytes.startIndex, dash + 1 < bytes.endIndex
    else { return nil }
    var version = 0
    for byte in bytes[(dash + 1)...] {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (product, isLarge) = version.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(Int(byte & 15))
      guard !isLarge, !isLarger else { return nil }
      version = sum
    }
    guard let epoch = String(validating: bytes[..<dash], as: UTF8.self) else { return nil }
    self.epoch = epoch
    self.version = version
  }

  /// The cursor as text.
  public var description: String { "\(epoch)-\(version)" }

  /// Whether this is the other position or a later one of the same history.
  public func hasReached(_ other: SessionCursor) -> Bool {
    epoch == other.epoch && version >= other.version
  }
}

/// The id of an event on a stream of several sessions.
///
/// It contains the cursor of each session after the tag of the session:
/// `4w9xd.k3x9q2-17~p0c7m.8dn2vg-3`.
package enum CompositeID {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// The tag of a session's key, `counter/demo`: 25 bits of FNV-1a.
  package static func tag(of key: String) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in key.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash ^= hash >> 25
    return String(
      decoding: (0..<5).map { alphabet[Int(hash >> UInt32(5 * $0)) & 31] }, as: UTF8.self)
  }

  /// Returns the cursor after a tag, or `nil` if the id does not contain the tag.
  ///
  /// Searches the bytes of the id: with a thousand sessions it is long, and it is searched for
  /// every event.
  package static func cursor(of tag: String, in id: String) -> SessionCursor? {
    let bytes = id.utf8
    let tag = Array(tag.utf8)
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let part = bytes[start...]
      if part.starts(with: tag), part.dropFirst(tag.count).first == UInt8(ascii: ".") {
        let cursor = part.dropFirst(tag.count + 1).prefix { $0 != UInt8(ascii: "~") }
        return SessionCursor(Substring(cursor))
      }
      guard let end = part.firstIndex(of: UInt8(ascii: "~")) else { return nil }
      start = bytes.index(after: end)
    }
    return nil
  }

  /// The id for the cursors of several sessions.
  package static func text(_ cursors: [(tag: String, cursor: SessionCursor)]) -> String {
    cursors.map { "\($0.tag).\($0.cursor)" }.joined(separator: "~")
  }
}
