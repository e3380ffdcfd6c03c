internal import ReactorLog

/// The writing connection: writes groups of operations, each in one transaction.
///
/// It belongs to one thread. Its caches are valid because the store's lock excludes other writers.
///
/// A class, because a copy of a struct would retain all statements.
final class LogWriter {
  private let connection: SQLiteConnection
  private var presence: StorePresence
  private var heads = HeadCache(capacity: 65_536)
  private var forks: Forks
  private var removals: Removals
  private var sweep: RetentionSweep
  private let statements: WriteStatements
  private var outcomes: OutcomeSweep
  private var changes: ChangeWriter?
  private var formerChanges: FormerChanges?
  private let retention: RetentionRules
  private let schemas: ReadableSchemas
  /// Returns the time, for the slices.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }
  /// The time until which clients are expected to wait for transactions, after one that they have waited for.
  private var sharedUntil: ContinuousClock.Instant?
  private var nextID: Int64
  /// Whether the file may contain rejected operations, see ``transact(_:)``.
  private var mayHaveLeftovers: Bool

  /// Opens a connection for writing.
  ///
  /// - Parameters:
  ///   - file: A store that is prepared and locked.
  ///   - rules: How much is retained.
  ///   - isAfterFailure: Whether an earlier writer has failed.
  /// - Throws: If the database cannot be read.
  init(
    _ file: StoreFile, _ rules: StoreRules, afterFailure isAfterFailure: Bool
  ) throws(DatabaseError) {
    connection = try file.connect(for: .writing)
    // A commit is on the disk when it returns. A `Checkpointer` copies the write-ahead log to the
    // database; the file of the log is truncated to the limit when the log restarts.
    try connection.execute(
      """
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -16384;
      """)
    connection.followLog()
    // A damaged id concerns its own history only.
    let most = StoredValues.counts.upperBound
    nextID = try connection.integer(
      """
      SELECT 1 + max(0,
        coalesce((SELECT max(id) FROM sessions WHERE id < \(most)), 0),
        coalesce((SELECT max(session) FROM removals WHERE session < \(most)), 0))
      """)
    presence = file.presence
    presence.didOpenLog()
    statements = try WriteStatements(connection)
    forks = try Forks(connection, at: file.path)
    removals = try Removals(connection)
    sweep = try RetentionSweep(connection, rules)
    outcomes = try OutcomeSweep(connection, rules)
    changes = try ChangeWriter(connection, rules)
    formerChanges = try FormerChanges(connection)
    retention = rules.retention
    schemas = rules.schemas
    mayHaveLeftovers = isAfterFailure
  }

  /// Whether no maintenance is due.
  var isIdle: Bool {
    removals.isEmpty && !sweep.isDue && !outcomes.isDue && changes?.isDue != true
      && formerChanges?.isDue != true
  }

  /// The number of the last committed change, or `nil` if changes are not retained.
  var latestChange: Int? { changes?.latest }

  /// The number of pages in the write-ahead log.
  var logLength: Int { connection.logLength }

  /// Copies the rest of the write-ahead log to the database.
  func checkpoint() throws(DatabaseError) -> Checkpoint { try connection.checkpoint() }

  /// Resets the numbers of runs of the accepted actions, because an orderly shutdown does not count
  /// as a failed run.
  func finish() throws(DatabaseError) {
    try statements.clearRuns.execute()
  }

  /// Writes operations in their order for one slice of work, and does some of the maintenance that is due.
  ///
  /// - Returns: The result of each operation that was applied, at least of the first one. The caller
  ///   passes the others and an unfinished operation again, with the next group.
  func write(_ group: ArraySlice<WriteRequest>) -> WriteOutcome {
    do throws(DatabaseError) {
      return WriteOutcome(results: try transact(group))
    } catch {
      guard error.concernsOneStatement, group.count > 1 else { return reject(group, error) }
    }
    // One of the operations cannot be written: write each in a transaction of its own.
    var outcome = WriteOutcome()
    for index in group.indices {
      // The connection may be broken, and the operations before this one are on the disk.
      if let failure = outcome.failure {
        outcome.results += reject(group[index...], failure).results
        break
      }
      let one = write(group[index...index])
      outcome.results += one.results
      outcome.failure = one.failure
    }
    return outcome
  }

  /// Rejects the operations of a transaction that was not written.
  private func reject(
    _ group: ArraySlice<WriteRequest>, _ error: DatabaseError
  ) -> WriteOutcome {
    cancelForks(in: group)
    let reason = error.isConflict ? .lost(to: nil) : error.logError
    return WriteOutcome(
      results: group.map { _ in .rejected(reason) },
      failure: error.concernsOneStatement ? nil : error)
  }

  /// Writes a group as one transaction.
  ///
  /// A transaction whose sync failed is complete in the write-ahead log. It is invisible, but a crash
  /// would make it valid. Therefore the next transaction always writes a page, which overwrites the
  /// rejected transaction.
  private func transact(
    _ group: ArraySlice<WriteRequest>
  ) throws(DatabaseError) -> [WriteResult] {
    var results: [WriteResult] = []
    results.reserveCapacity(group.count)
    try statements.begin.execute()
    // Clients wait for the transaction, unless it only copies and deletes, and for a while no client has written:
    // an operation that arrives during a transaction waits for all of it.
    let isAwaited = group.contains {
      switch $0.operation {
      case .fork, .maintenance: false
      default: true
      }
    }
    let start = now()
    if isAwaited { sharedUntil = start + .milliseconds(100) }
    let isShared = sharedUntil.map { start < $0 } ?? false
    let bytes = isShared ? WorkSlice.sharedBytes : WorkSlice.bytes
    forks.beginGroup(bytes: bytes)
    do throws(DatabaseError) {
      var slice = WorkSlice(now: now)
      for request in group {
        results.append(try apply(request.operation))
        if slice.isOver(after: request.size) { break }
      }
      if removals.isEmpty { try sweep.plan(&removals, now: .now) }
      let deleted = try removals.deleteSome(upTo: bytes, except: forks, &outcomes)
      try outcomes.deleteSome(now: .now)
      try changes?.deleteSome(now: .now)
      try formerChanges?.deleteSome()
      if mayHaveLeftovers { try connection.execute("PRAGMA user_version = \(Schema.version)") }
      // Check the files before the commit, because a commit to a deleted file succeeds. They are
      // not checked again after it: a file that is deleted during the commit is lost like one that
      // is deleted after the response, and the next commit fails.
      try presence.check()
      try statements.commit.execute()
      mayHaveLeftovers = false
      forks.didCommit()
      outcomes.didCommit()
      changes?.didCommit()
      removals.didCommit(deleted)
      return results
    } catch {
      mayHaveLeftovers = true
      heads.removeAll()
      forks.didRollBack()
      removals.didRollBack()
      outcomes.didRollBack()
      changes?.didRollBack()
      formerChanges?.didRollBack()
      // Some errors end the transaction. If the rollback fails, its error is thrown and breaks the
      // connection.
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: Operations

  /// Applies an operation, or a part of it, within a transaction.
  ///
  /// An operation that expects another state of the session is rejected without a change.
  private func apply(_ operation: WriteOperation) throws(DatabaseError) -> WriteResult {
    switch operation {
    case .create(let key, let epoch, let parameters, let replacesEnded):
      guard
        let head = try begin(
          key, epoch: epoch, at: .now, parameters: parameters, replacesEnded: replacesEnded)
      else { return .rejected(.lost(to: nil)) }
      heads[key] = head
    case .append(let key, let batch, let epoch, let version):
      let isExpected = try append(batch, to: key, epoch: epoch, version: version)
      return isExpected ? .written : .rejected(.lost(to: nil))
    case .end(let key):
      try end(key)
    case .fork(let source, let cursor, let target, let epoch, let parameters):
      return try fork(
        source, at: cursor, to: target, epoch: epoch, parameters: parameters)
    case .share(let value, let name):
      try statements.share.execute(name, value.epoch, value.version, value.revision, value.json)
      try changes?.write(
        .global(name: name), of: nil, epoch: value.epoch, version: value.version, at: .now)
    case .save(let key, let snapshot, let epoch):
      try save(snapshot, of: key, epoch: epoch)
    case .maintenance: break
    }
    return .written
  }

  /// Starts a history, in place of one that has ended.
  ///
  /// - Parameters:
  ///   - key: The session.
  ///   - epoch: The name of the history.
  ///   - moment: The time of its creation.
  ///   - parameters: Its parameters.
  ///   - replacesEnded: Whether it may take the place of a history that has ended.
  ///   - copy: The id of the rows that were copied for it, or `nil` for none.
  ///   - origin: The epoch that the chain of the copied rows begins with.
  ///   - source: The session and version that the rows were copied from, or `nil` for none.
  /// - Returns: The head of the history, as if it were empty, or `nil` if the session has a history
  ///   that it must not replace.
  /// - Throws: If the database fails.
  private func begin(
    _ key: SessionKey, epoch: String, at moment: Timestamp, parameters: [UInt8]?,
    replacesEnded: Bool = true, as copy: Int64? = nil, origin: String? = nil,
    forkedFrom source: StoreChange.Origin? = nil
  ) throws(DatabaseError) -> Head? {
    var id = copy ?? takeID()
    var isNew = false
    // Insert the record without a search for a head first: few sessions have a record, and the
    // search costs as much as the insertion.
    if heads[key] == nil, try !hasEnded(key) {
      isNew = try insertSession(
        key, id: id, epoch: epoch, at: moment, isEnded: false, origin: origin,
        parameters: parameters)
    }
    if !isNew {
      guard replacesEnded, let known = try head(of: key), known.isEnded else { return nil }
      id = copy ?? known.id
      try statements.replaceSession.execute(
        known.id, id, epoch, moment, origin, parameters, schemas[key.reactor])
    }
    try changes?.write(
      .began(forkedFrom: source), of: key, epoch: epoch, version: source?.version ?? 0, at: moment)
    return Head(id: id, epoch: epoch, origin: origin, chain: EntryChain.seed(origin ?? epoch))
  }

  /// Whether the record of a session is that of an ended one.
  private func hasEnded(_ key: SessionKey) throws(DatabaseError) -> Bool {
    var row = ParameterBinder(statements.hasEnded)
    try row.bind(key.reactor)
    try row.bind(key.id)
    defer { statements.hasEnded.reset() }
    return try statements.hasEnded.step()
  }

  /// Inserts the record of a session.
  ///
  /// The session must not have a record with the other value of `isEnded`: the unique index would
  /// permit both.
  ///
  /// - Returns: `false` if the session already has a record.
  @discardableResult
  private func insertSession(
    _ key: SessionKey, id: Int64, epoch: String, at moment: Timestamp, isEnded: Bool,
    origin: String? = nil, parameters: [UInt8]? = nil
  ) throws(DatabaseError) -> Bool {
    // Not bound with a parameter pack: see `ParameterBinder`.
    var row = ParameterBinder(statements.insertSession)
    try row.bind(id)
    try row.bind(key.reactor)
    try row.bind(key.id)
    try row.bind(epoch)
    try row.bind(moment.milliseconds)
    try row.bind(isEnded ? 1 : 0)
    try row.bind(origin)
    try row.bind(utf8: parameters)
    try row.bind(schemas[key.reactor])
    try statements.insertSession.executeBound()
    return statements.insertSession.changeCount > 0
  }

  /// Returns a new id, which no history has and no rows that are still to be deleted.
  private func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }

  private func append(
    _ batch: LogBatch, to key: SessionKey, epoch: String, version: Int
  ) throws(DatabaseError) -> Bool {
    guard !batch.isEmpty else { return true }
    let found: Head?
    if let known = try head(of: key) {
      found = known
    } else {
      found =
        version == 0
        ? try begin(
          key, epoch: epoch, at: batch.entries.first?.at ?? .now, parameters: batch.parameters)
        : nil
    }
    guard var head = found, !head.isEnded, head.epoch == epoch, head.version == version else {
      return false
    }
    if !head.hasSchema, !batch.entries.isEmpty {
      try statements.setSchema.execute(head.id, schemas[key.reactor], head.version)
      head.hasSchema = true
    }
    for entry in batch.entries {
      head.chain = EntryChain.checksum(of: entry, after: head.chain)
      try insert(entry, into: head.id, checksum: head.chain)
    }
    for action in batch.accepted { try put(action, into: head.id) }
    for id in batch.finished {
      try statements.deleteAccepted.execute(head.id, id.request, id.place)
    }
    for outcome in batch.outcomes { try outcomes.put(outcome, of: head.id) }
    for change in batch.timers { try apply(change, to: head.id) }
    try statements.write(failuresOf: batch, of: key, in: head.id)
    for mark in batch.received { try statements.mark(mark, in: head.id) }
    if let last = batch.entries.last {
      try changes?.write(
        .changed(from: head.version), of: key, epoch: epoch, version: last.version, at: last.at,
        by: last.by)
    }
    head.version += batch.entries.count
    heads[key] = head
    return true
  }

  private func put(_ action: AcceptedAction, into id: Int64) throws(DatabaseError) {
    try statements.putAccepted.execute(
      id, action.id.request, action.id.place, action.at, action.runs, action.action,
      action.isInArray, action.key?.name, action.key?.body, action.failure?.json,
      action.principal, action.sendName, action.context)
  }

  private func apply(_ change: StoredTimerChange, to id: Int64) throws(DatabaseError) {
    guard let timer = change.timer else { return try statements.deleteTimer.execute(id, change.id) }
    try statements.putTimer.execute(
      id, timer.id, timer.due, timer.action, timer.period, timer.catchesUp)
  }

  private func insert(
    _ entry: LogEntry, into id: Int64, checksum: UInt64
  ) throws(DatabaseError) {
    // Bind the texts without copying them: SQLite would allocate a copy of each.
    unsafe try entry.mutation.withUnsafeBufferPointer { mutation throws(DatabaseError) in
      guard let action = entry.action else {
        return unsafe try insert(entry, into: id, checksum, action: nil, mutation: mutation)
      }
      unsafe try action.withUnsafeBufferPointer { action throws(DatabaseError) in
        unsafe try insert(entry, into: id, checksum, action: action, mutation: mutation)
      }
    }
    if let global = entry.global { try statements.mark(global, in: id) }
  }

  private func insert(
    _ entry: LogEntry, into id: Int64, _ checksum: UInt64, action: UnsafeBufferPointer<UInt8>?,
    mutation: UnsafeBufferPointer<UInt8>
  ) throws(DatabaseError) {
    // Not bound with a parameter pack, see `ParameterBinder`: each action inserts a row.
    var row = ParameterBinder(statements.insertMutation)
    try row.bind(id)
    try row.bind(Int64(entry.version))
    try row.bind(entry.at.milliseconds)
    unsafe try row.bind(borrowing: action)
    try row.bind(entry.global?.name)
    try row.bind((entry.global?.revision).map { Int64(bitPattern: $0) })
    unsafe try row.bind(borrowing: mutation)
    try row.bind(Int64(bitPattern: checksum))
    try row.bind(entry.by)
    try statements.insertMutation.executeBound()
  }

  /// Marks a session as ended; its rows are deleted later, in batches.
  private func end(_ key: SessionKey) throws(DatabaseError) {
    let known = try head(of: key)
    guard known?.isEnded != true else { return }
    let id = takeID()
    if let head = known {
      try changes?.write(.ended, of: key, epoch: head.epoch, version: head.version, at: .now)
      try removals.add(history: head.id)
      // Delete these few rows now and not in batches, so that none of their actions is executed.
      try statements.deleteTimers.execute(head.id)
      try statements.deleteFailures.execute(key.reactor, head.id)
      try statements.endSession.execute(head.id, id, Timestamp.now)
    } else {
      try insertSession(key, id: id, epoch: "", at: .now, isEnded: true)
    }
    heads[key] = Head(id: id, epoch: "", isEnded: true, chain: 0)
  }

  /// Copies a part of a history; the session gets the copy when it is complete.
  private func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) throws(DatabaseError) -> WriteResult {
    let known = forks.copy(to: target, epoch: epoch)
    guard try head(of: target)?.isEnded ?? true else {
      forks.end(to: target, epoch: epoch)
      return .rejected(.lost(to: nil))
    }
    guard forks.hasSpace else {
      forks.end(to: target, epoch: epoch)
      return .rejected(.full)
    }
    let copy: Forks.Copy
    if let known {
      copy = known
    } else {
      let head = try head(of: source)
      guard head.map({ !$0.isEnded && $0.epoch == cursor.epoch }) ?? true else {
        return .rejected(.lost(to: nil))
      }
      var inherited: [UInt8]?
      if let head, parameters == nil {
        inherited = try statements.readParameters.first(head.id, as: [UInt8]?.self) ?? nil
      }
      copy = Forks.Copy(
        id: takeID(), source: head, parameters: parameters ?? inherited,
        includesSnapshots: parameters == nil)
    }
    guard try forks.copySome(copy, upTo: cursor.version) else {
      if known == nil { forks.start(copy, to: target, epoch: epoch) }
      // List the rows of the copy for removal, in case it is never finished.
      try removals.add(history: copy.id)
      return .unfinished
    }
    forks.end(to: target, epoch: epoch)
    guard try forks.isReadable(copy, at: cursor.version) else {
      try removals.add(history: copy.id)
      return .rejected(.lost(to: nil))
    }
    if known != nil { try removals.cancel(history: copy.id) }
    let begun = try begin(
      target, epoch: epoch, at: .now, parameters: copy.parameters, as: copy.id,
      origin: copy.source.map { $0.origin ?? $0.epoch },
      forkedFrom: StoreChange.Origin(session: source.id, version: cursor.version))
    guard begun != nil else { return .rejected(.lost(to: nil)) }
    // Remove the head from the cache: the next operation reads it, including the copied rows.
    heads[target] = nil
    return .written
  }

  /// Cancels the copies of rejected forks.
  private func cancelForks(in group: ArraySlice<WriteRequest>) {
    for request in group {
      guard case .fork(_, _, let target, let epoch, _) = request.operation else { continue }
      forks.cancel(to: target, epoch: epoch)
    }
  }

  private func save(
    _ snapshot: Snapshot, of key: SessionKey, epoch: String
  ) throws(DatabaseError) {
    guard var head = try head(of: key), !head.isEnded, head.epoch == epoch,
      snapshot.version <= head.version, snapshot.version >= max(1, head.snapshot)
    else { return }
    var chain = head.chain
    if snapshot.version < head.version {
      let stored = try statements.findChecksum.first(
        head.id, snapshot.version, as: UInt64?.self)
      chain = (stored ?? nil) ?? EntryChain.seed(head.origin ?? epoch)
    }
    try statements.insertSnapshot.execute(
      head.id, snapshot.version, snapshot.state, snapshot.schema, chain,
      EntryChain.checksum(of: snapshot, at: chain))
    head.snapshot = snapshot.version
    heads[key] = head
    try removals.trim(
      head.id, at: head.version, to: retention[key.reactor], schema: snapshot.schema, now: .now)
    // Thin out the snapshots of a log that is retained completely: it has many recent snapshots and
    // few early ones.
    if !removals.areTrimming(head.id) {
      try statements.thinSnapshots.execute(head.id, head.version)
    }
  }

  /// The end of a session's history, or `nil` if the session has no record.
  private func head(of key: SessionKey) throws(DatabaseError) -> Head? {
    if let head = heads[key] { return head }
    let row = try statements.findSession.first(
      key.reactor, key.id, schemas[key.reactor],
      as: (Int64, String, String?, Bool, Int, UInt64?, Int, UInt64?, Bool).self)
    guard let (id, epoch, origin, isEnded, version, checksum, snapshot, anchor, hasSchema) = row
    else { return nil }
    // A fork at the oldest retained version has a snapshot and no entries.
    let chain = snapshot > version ? anchor : checksum
    // The number of a damaged row can be any; a session with it cannot be loaded, only ended.
    let head = Head(
      id: id, epoch: epoch, origin: origin, isEnded: isEnded,
      version: StoredValues.counts.nearest(max(version, snapshot)), snapshot: snapshot,
      chain: chain ?? EntryChain.seed(origin ?? epoch), hasSchema: hasSchema)
    heads[key] = head
    return head
  }
}
