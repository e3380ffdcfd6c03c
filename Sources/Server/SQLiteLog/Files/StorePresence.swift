/// Detects that a store was deleted or replaced while it is open.
///
/// Writes to a deleted file succeed, and are lost when the process ends.
struct StorePresence: Sendable {
  private let path: String
  private let logPath: String
  private let database: FileIdentity?
  private var log: FileIdentity?

  /// Records the identity of the database file; `nil` disables the check of this file.
  init(of path: String, _ identity: FileIdentity?) {
    self.path = path
    logPath = path + "-wal"
    database = identity
  }

  /// Records the identity of the write-ahead log that a connection has opened.
  mutating func didOpenLog() { log = FileIdentity(path: logPath) }

  /// Checks that neither file was deleted or replaced.
  func check() throws(DatabaseError) {
    guard database == nil || FileIdentity(path: path) == database else {
      throw DatabaseError(
        code: .cannotOpen, message: "the database file was deleted or replaced")
    }
    guard log == nil || FileIdentity(path: logPath) == log else {
      throw DatabaseError(
        code: .cannotOpen, message: "the write-ahead log was deleted or replaced")
    }
  }
}
