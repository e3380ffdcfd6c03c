package import ReactorLog
internal import Synchronization
internal import SystemThreads
package import Telemetry

/// The actions and sessions of a store that have crashed a process: no process that shares the store executes
/// them.
///
/// Each process has all of them in memory. The thread `log-quarantine` reads them again every two seconds, and after each
/// removal.
package final class StoredQuarantine: Sendable {
  /// An entry.
  package struct Entry: Equatable, Sendable {
    /// The session.
    package let session: SessionKey

    /// The digest of the action; 0 for the session itself.
    package let digest: UInt64

    /// The prefix of the action's JSON, or `nil` if the session itself is quarantined.
    package let action: String?

    /// The time at which the crash was noticed.
    package let at: Timestamp

    /// The signal of the crash, such as `SIGILL`.
    package let signal: String

    /// Creates an entry.
    package init(
      session: SessionKey, digest: UInt64, action: String?, at: Timestamp, signal: String
    ) {
      self.session = session
      self.digest = digest
      self.action = action
      self.at = at
      self.signal = signal
    }
  }

  private struct Name: Hashable {
    let session: SessionKey
    let digest: UInt64
  }

  private struct State {
    var entries: [Entry] = []
    var names: Set<Name> = []
    /// The entries that the thread is to delete.
    var removals: [Entry] = []
    var isClosed = false
  }

  /// The maximum number of entries; beyond it, the oldest entries are removed.
  package static let bound = 1_024

  /// The pause between two reads.
  private static let interval = Duration.seconds(2)

  private let readers: ReadConnections
  private let table: String
  private let logger: Logger
  private let state = Mutex(State())
  private let count = Atomic(0)
  private let isDue = Semaphore()

  /// Creates the quarantine of a store, which is not read yet.
  ///
  /// - Parameters:
  ///   - log: The store.
  ///   - logger: Logs removals that the store did not confirm.
  package init(_ log: PostgresLog, logger: Logger = .silent) {
    readers = log.database.readers
    table = "\(log.database.schema).quarantine"
    self.logger = logger
  }

  /// Reads the entries, and starts the thread, which ends after ``close()``; blocks.
  package func start() throws(LogError) {
    try read()
    guard SystemThread(named: "log-quarantine", { [self] in run() }) != nil else {
      throw .unavailable("A thread for the quarantine cannot be created.")
    }
  }

  /// Ends the thread.
  package func close() {
    state.withLock { $0.isClosed = true }
    isDue.signal()
  }

  // MARK: Reading

  /// Whether nothing is quarantined; may be called on any thread.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Whether an action of a session, or the session itself, is quarantined.
  ///
  /// Takes no lock while nothing is quarantined. Can be called on any thread.
  package func contains(_ session: SessionKey, _ digest: UInt64) -> Bool {
    guard !isEmpty else { return false }
    return state.withLock { $0.names.contains(Name(session: session, digest: digest)) }
  }

  /// The entries that were read last, the oldest first.
  package var entries: [Entry] { state.withLock { $0.entries } }

  /// Reads all entries; blocks.
  package func read() throws(LogError) {
    let sql = SQL(
      "select reactor, session, digest, action, at, signal from \(table) order by at, digest")
    let found = try readers.read { (connection, deadline) throws(PostgresError) in
      try connection.execute(sql, Parameters(), deadline: deadline).map(
        as: (String, String, UInt64, [UInt8]?, Timestamp, String).self
      ) { reactor, session, digest, action, at, signal in
        Entry(
          session: SessionKey(reactor: reactor, id: session), digest: digest,
          action: action.map { String(decoding: $0, as: UTF8.self) }, at: at, signal: signal)
      }
    }
    replace(by: found)
  }

  private func replace(by entries: [Entry]) {
    state.withLock { state in
      state.entries = entries
      state.names = Set(entries.map { Name(session: $0.session, digest: $0.digest) })
    }
    count.store(entries.count, ordering: .relaxed)
  }

  // MARK: Writing

  /// Adds entries; beyond the bound, the oldest ones are removed.
  ///
  /// Blocks.
  package func add(_ entries: [Entry]) throws(LogError) {
    let insertion = SQL(
      """
      insert into \(table) (shard, reactor, session, digest, action, at, signal)
      values ($1::int2, $2::text, $3::text, $4::int8, $5::bytea, $6::int8, $7::text)
      on conflict do nothing
      """)
    let deletion = SQL(
      """
      delete from \(table) where (shard, reactor, session, digest) in (
        select shard, reactor, session, digest from \(table) order by at desc, digest offset \(Self.bound))
      """)
    try readers.read { (connection, deadline) throws(PostgresError) in
      for entry in entries {
        try connection.execute(
          insertion,
          .of(
            ShardMap().shard(of: entry.session), entry.session.reactor, entry.session.id,
            entry.digest, entry.action.map { Array($0.utf8) }, entry.at, entry.signal),
          deadline: deadline)
      }
      try connection.execute(deletion, Parameters(), deadline: deadline)
    }
    try read()
  }

  /// Removes all entries; blocks.
  ///
  /// - Returns: Their number.
  package func clear() throws(LogError) -> Int {
    let sql = SQL("delete from \(table)")
    let removed = try readers.read { (connection, deadline) throws(PostgresError) in
      try connection.execute(sql, Parameters(), deadline: deadline).changeCount
    }
    replace(by: [])
    return removed
  }

  /// Removes all entries from memory, and then, on the thread, from the store.
  package func clearLater() {
    let all = entries
    replace(by: [])
    removeLater(all)
  }

  /// Removes the entries of a session on the thread.
  ///
  /// Costs nothing while nothing is quarantined.
  package func removeLater(_ session: SessionKey) {
    guard !isEmpty else { return }
    removeLater(entries.filter { $0.session == session })
  }

  private func removeLater(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    state.withLock { $0.removals += entries }
    isDue.signal()
  }

  private func remove(_ entries: [Entry]) throws(LogError) {
    let sql = SQL(
      """
      delete from \(table)
      where shard = $1::int2 and reactor = $2::text and session = $3::text and digest = $4::int8
      """)
    try readers.read { (connection, deadline) throws(PostgresError) in
      for entry in entries {
        try connection.execute(
          sql,
          .of(
            ShardMap().shard(of: entry.session), entry.session.reactor, entry.session.id,
            entry.digest),
          deadline: deadline)
      }
    }
  }

  // MARK: log-quarantine

  private func run() {
    while true {
      _ = isDue.wait(for: Self.interval)
      let (removals, isClosed) = state.withLock { state in
        defer { state.removals = [] }
        return (state.removals, state.isClosed)
      }
      guard !isClosed else { return }
      do throws(LogError) {
        if !removals.isEmpty { try remove(removals) }
      } catch {
        logger.warning("the quarantine was not changed", ["reason": "\(error)"])
      }
      // The writer and the readers report that the database cannot be used.
      try? read()
    }
  }
}
