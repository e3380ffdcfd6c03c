internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog

/// Parses arbitrary text as a cursor.
enum CursorFuzzing {
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let written = Cursor(PositionText.plain(text)) {
      require(text.contains(written.description), "a written cursor contains the cursor")
    }
    guard let cursor = Cursor(text) else { return }
    require(Cursor(PositionText.plain(text)) == cursor, "a cursor is one of its forms")
    require(cursor.description == text, "a cursor reads back")
    require(cursor.version >= 0, "a version is no negative number")
    require(text.utf8.count <= 64, "a cursor is short")
  }
}
