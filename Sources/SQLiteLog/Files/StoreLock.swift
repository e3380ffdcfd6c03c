internal import Glibc

/// Keeps every other process from writing to a store, as long as this object lives.
///
/// The lock is on a file beside the database: one on the database itself would be lost with the
/// first descriptor of it that SQLite closes. The system takes it back from a process that dies.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock of a database.
  init(of path: String) throws(SQLiteLogError) {
    let file = path + ".lock"
    descriptor = Self.open(file)
    guard descriptor >= 0 else {
      throw SQLiteLogError(
        .cannotCreate, "cannot open the lock of the store \"\(file)\": \(SystemError.current)")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError.current
      close(descriptor)
      throw error.code == EWOULDBLOCK
        ? SQLiteLogError(.inUse, "the store \"\(path)\" is in use by another process")
        : SQLiteLogError(.cannotCreate, "cannot lock the store \"\(path)\": \(error)")
    }
  }

  deinit {
    // Said, because a process that is being started may still share the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func open(_ file: String) -> Int32 {
    unsafe Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  }
}
