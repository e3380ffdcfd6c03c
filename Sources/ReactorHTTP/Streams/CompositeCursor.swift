internal import ReactorHost
internal import ReactorLog

/// The cursors of several sessions: the `id` of events on a stream of several sessions.
///
/// ```
/// 4w9xd.k3x9q2-17~p0c7m.8dn2vg-3
/// ```
///
/// Each cursor is preceded by a tag of its session's name, so that a client can reconnect with
/// other sessions or in another order. Tags are short and can collide: a session uses the cursor of
/// its own epoch, and starts again with a reset if it finds only that of another session. All
/// characters are valid in a query without encoding.
struct CompositeCursor {
  private static let separator: Character = "~"
  private static let tagLength = 5
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  private let cursors: [Substring: [Cursor]]

  /// Parses the id of an event.
  init?(_ text: String) {
    var cursors: [Substring: [Cursor]] = [:]
    for part in text.split(separator: Self.separator, omittingEmptySubsequences: false) {
      let tag = part.prefix(Self.tagLength)
      let rest = part.dropFirst(Self.tagLength)
      guard rest.first == ".", let cursor = Cursor(rest.dropFirst()) else { return nil }
      cursors[tag, default: []].append(cursor)
    }
    self.cursors = cursors
  }

  /// Returns the client's position in a session.
  func position(of name: String, in epoch: String) -> StreamPosition {
    guard let found = cursors[Self.tag(of: name)[...]], let first = found.first else {
      return .beginning
    }
    return .cursor(found.first { $0.epoch == epoch } ?? first)
  }

  /// Encodes the id of an event.
  static func text(_ cursors: some Sequence<(tag: String, cursor: Cursor)>) -> String {
    var text = ""
    for (tag, cursor) in cursors {
      if !text.isEmpty { text.append(separator) }
      text += tag
      text += "."
      text += cursor.description
    }
    return text
  }

  /// Returns the tag of a session's name: 25 bits of FNV-1a, the same on every machine.
  static func tag(of name: String) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash ^= hash >> 25
    let characters = (0..<tagLength).map { alphabet[Int(hash >> UInt32(5 * $0)) & 31] }
    return String(decoding: characters, as: UTF8.self)
  }
}
