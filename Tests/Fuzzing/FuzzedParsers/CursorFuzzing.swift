internal import ReactorHost
internal import ReactorLog

/// Parses arbitrary text as a cursor.
enum CursorFuzzing {
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let cursor = Cursor(text) else { return }
    require(cursor.description == text, "a cursor reads back")
    require(cursor.version >= 0, "a version is no negative number")
    require(text.utf8.count <= 64, "a cursor is short")
  }
}
