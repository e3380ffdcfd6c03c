internal import Glibc
internal import Synchronization

/// The exclusive right to write to a store, as long as this object exists.
///
/// The lock is on the database file itself, so that it applies to all names of the file. The kernel
/// releases it when the process ends. flock(2) locks are independent of the fcntl(2) locks that
/// SQLite sets on the same file, but closing any descriptor of a file drops all fcntl locks of the
/// process on it. Therefore the descriptor must be closed after SQLite's last connection, and a
/// file that this process has locked must not be opened again: ``opened`` lists these files.
final class StoreLock: Sendable {
  private static let opened = Mutex<Set<FileIdentity>>([])

  /// The locked file.
  let identity: FileIdentity

  /// The path without symbolic links.
  let location: String

  private let descriptor: Int32
  /// The lock file of releases before 0.2, if there is one.
  private let earlierLock: Int32

  /// Locks a database file, and creates it with mode 0600 if it is missing.
  init(of path: String) throws(SQLiteLogError) {
    if let identity = try Self.regularFile(at: path), Self.isOpened(identity) {
      throw Self.inUse(path)
    }
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw SQLiteLogError(
        .cannotCreate,
        "cannot open the store \"\(path)\": \(SystemError.current.description(withRemedyFor: path))"
      )
    }
    var earlierLock: Int32 = -1
    do throws(SQLiteLogError) {
      try Self.lock(descriptor, path)
      var status = stat()
      unsafe fstat(descriptor, &status)
      identity = FileIdentity(status)
      // Processes of earlier releases lock this file instead of the database.
      earlierLock = unsafe open(path + ".lock", O_RDWR | O_CLOEXEC)
      if earlierLock >= 0 { try Self.lock(earlierLock, path) }
      location = StoreFile.resolve(path)
      try Self.rejectLostDatabase(location, isEmpty: status.st_size == 0)
    } catch {
      if earlierLock >= 0 { close(earlierLock) }
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.earlierLock = earlierLock
    _ = Self.opened.withLock { $0.insert(identity) }
  }

  deinit {
    _ = Self.opened.withLock { $0.remove(identity) }
    // Unlock explicitly: a child process that is being started can still share the descriptors, so
    // that closing them does not release the lock.
    for descriptor in [descriptor, earlierLock] where descriptor >= 0 {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }

  private static func isOpened(_ identity: FileIdentity) -> Bool {
    opened.withLock { $0.contains(identity) }
  }

  /// The identity of a regular file, or `nil` if there is no file.
  private static func regularFile(at path: String) throws(SQLiteLogError) -> FileIdentity? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SQLiteLogError(.unsuitable, "the store \"\(path)\" is not a regular file")
    }
    return FileIdentity(status)
  }

  /// Rejects an empty database that has a write-ahead log.
  ///
  /// The database was deleted, and the log is the rest of its store. SQLite would discard the log.
  private static func rejectLostDatabase(
    _ path: String, isEmpty: Bool
  ) throws(SQLiteLogError) {
    var log = stat()
    guard isEmpty, unsafe stat(path + "-wal", &log) == 0, log.st_size > 0 else { return }
    throw SQLiteLogError(
      .unsuitable,
      "the store \"\(path)\" is missing or empty, but its write-ahead log \"\(path)-wal\" is not: "
        + "restore the database, or delete the log to start with an empty store")
  }

  private static func lock(_ descriptor: Int32, _ path: String) throws(SQLiteLogError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
    let error = SystemError.current
    throw error.code == EWOULDBLOCK
      ? inUse(path) : SQLiteLogError(.cannotCreate, "cannot lock the store \"\(path)\": \(error)")
  }

  private static func inUse(_ path: String) -> SQLiteLogError {
    SQLiteLogError(.inUse, "the store \"\(path)\" is in use by another process")
  }
}
