/// A position in a session's log, as clients see it: `{epoch}-{version}`.
struct Cursor: Hashable, Sendable, CustomStringConvertible {
  let epoch: String
  let version: Int

  init?(_ text: String) {
    guard let dash = text.lastIndex(of: "-"), let version = Int(text[text.index(after: dash)...]),
      text.utf8.count <= 64
    else { return nil }
    epoch = String(text[..<dash])
    self.version = version
  }

  init(epoch: String, version: Int) {
    self.epoch = epoch
    self.version = version
  }

  func at(_ version: Int) -> Cursor {
    Cursor(epoch: epoch, version: version)
  }

  var description: String { "\(epoch)-\(version)" }
  var tag: String { "\"\(self)\"" }
}
