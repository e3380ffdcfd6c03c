internal import ReactorHost

/// The cursors of several sessions in one: the `id` of events on a stream of several.
///
/// ```
/// 4w9xd.k3x9q2-17~p0c7m.8dn2vg-3
/// ```
///
/// Each cursor stands behind a tag that is made from its session's name, so that a client may come
/// back with other sessions, or the same ones in another order. Tags are short and may meet; then a
/// session finds a cursor that is not of its epoch, and begins anew. All characters may stand in an
/// address as they are.
struct CompositeCursor {
  private static let separator: Character = "~"
  private static let tagLength = 5
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  private let cursors: [Substring: [Cursor]]

  /// Reads the id of an event; `nil` where it is none.
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

  /// Where a client was in a session.
  func position(of name: String, in epoch: String) -> StreamPosition {
    guard let found = cursors[Self.tag(of: name)[...]], let first = found.first else {
      return .beginning
    }
    return .cursor(found.first { $0.epoch == epoch } ?? first)
  }

  /// Writes the id of an event.
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

  /// What stands for a session's name: 25 bits of FNV-1a, the same on every machine.
  static func tag(of name: String) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash ^= hash >> 25
    let characters = (0..<tagLength).map { alphabet[Int(hash >> UInt32(5 * $0)) & 31] }
    return String(decoding: characters, as: UTF8.self)
  }
}
