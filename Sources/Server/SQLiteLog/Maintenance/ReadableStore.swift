internal import Glibc
internal import ReactorLog

/// A store with the tables of this release, for reading.
///
/// It is the store itself, or a temporary copy of an earlier release's that was migrated. The store is
/// not written.
package final class ReadableStore: Sendable {
  /// The database file.
  package let path: String

  private let isCopy: Bool

  /// Finds a store, and copies one that an earlier release has written.
  ///
  /// The copy is in the folder in `TMPDIR`, or in `/var/tmp`. Blocks; can run while a daemon of that
  /// release uses the store.
  ///
  /// - Parameter path: The database file.
  /// - Throws: If the store cannot be read or the copy cannot be written.
  package init(_ path: String) throws(SQLiteLogError) {
    let (connection, version) = try StoreFile(path: path).openEarlier()
    guard version < Schema.version else {
      (self.path, isCopy) = (path, false)
      return
    }
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/var/tmp"
    var name = Array((folder + "/reactord-XXXXXX").utf8CString)
    let descriptor = unsafe mkstemp(&name)
    let copy = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else {
      throw SQLiteLogError(
        .cannotCreate,
        "the store \"\(path)\" is of an earlier release, and a temporary copy cannot be created in "
          + "\"\(folder)\" (TMPDIR): \(SystemError.current)")
    }
    close(descriptor)
    (self.path, isCopy) = (copy, true)
    do throws(DatabaseError) {
      try connection.copy(to: copy)
    } catch {
      throw SQLiteLogError(
        error.logError == .full ? .noSpace : .unreadable,
        "the store \"\(path)\" cannot be copied to \"\(folder)\" (TMPDIR): \(error)")
    }
    try StoreFile(path: copy).prepare()
  }

  deinit {
    guard isCopy else { return }
    for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
  }
}

extension SQLiteMaintenance {
  /// Returns the migration that the store needs, or `nil` if its tables are those of this release.
  package func migration() throws(SQLiteLogError) -> StoreMigration? {
    let file = StoreFile(path: path)
    let (_, version) = try file.openEarlier()
    return version < Schema.version ? StoreMigration(from: version, of: path) : nil
  }

  /// Migrates the store.
  ///
  /// - Throws: If a daemon uses the store or it cannot be written. The store can be opened by this
  ///   release, and contains everything.
  package func migrate() throws(SQLiteLogError) {
    try exclusively { (file) throws(DatabaseError) in
      try file.connect(for: .writing).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
