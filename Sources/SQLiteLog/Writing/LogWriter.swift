internal import ReactorHost

/// The writing connection: puts groups of operations into the database, one transaction each.
///
/// It belongs to one thread. What it remembers of the database holds because nobody else writes to
/// it, which the store's lock sees to.
struct LogWriter {
  private let connection: Connection
  private var heads = HeadCache(capacity: 65_536)
  private var forks: Forks
  private var removals: Removals
  private var sweep: RetentionSweep
  private let statements: WriteStatements
  private var outcomes: OutcomeSweep
  private let retention: RetentionRules
  private var nextID: Int64
  /// Whether the file may hold what was refused, see ``transact(_:)``.
  private var mayHaveLeftovers: Bool

  /// Takes over a connection.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - rules: How much is kept.
  ///   - isAfterFailure: Whether a writer before this one has failed.
  /// - Throws: Where the database cannot be read.
  init(
    _ connection: Connection, _ rules: StoreRules, afterFailure isAfterFailure: Bool
  ) throws(DatabaseError) {
    // Acknowledged is what the disk has. The log beside the database is kept from growing for good, and
    // brought into it by a `Checkpointer`.
    try connection.execute(
      """
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -16384;
      """)
    connection.followLog()
    nextID = try connection.integer(
      """
      SELECT 1 + max(
        coalesce((SELECT max(id) FROM sessions), 0), coalesce((SELECT max(session) FROM removals), 0))
      """)
    statements = try WriteStatements(connection)
    forks = try Forks(connection)
    removals = try Removals(connection)
    sweep = try RetentionSweep(connection, rules)
    outcomes = try OutcomeSweep(connection, rules)
    retention = rules.retention
    mayHaveLeftovers = isAfterFailure
    self.connection = connection
  }

  /// Whether there is nothing to do but what will be asked for.
  var isAtRest: Bool { removals.isEmpty && !sweep.isDue && !outcomes.isDue }

  /// The pages in the write-ahead log.
  var logLength: Int { connection.logLength }

  /// Brings what is left of the write-ahead log into the database.
  func checkpoint() throws(DatabaseError) -> Checkpoint { try connection.checkpoint() }

  /// Leaves the store in order: what runs is cut off, and not to blame for it.
  func finish() throws(DatabaseError) {
    try statements.clearRuns.run()
  }

  /// Writes a group of operations in their order, and a part of what is to be removed.
  ///
  /// - Returns: What became of each: what was refused has changed nothing, what is unfinished is to
  ///   come again with the next group, and the others are on the disk.
  /// - Throws: Where nothing was written at all.
  mutating func write(
    _ group: ArraySlice<WriteRequest>
  ) throws(DatabaseError) -> [WriteResult] {
    do throws(DatabaseError) {
      return try transact(group)
    } catch {
      guard error.concernsOneStatement else {
        giveUpForks(in: group)
        throw error
      }
      guard group.count > 1 else {
        giveUpForks(in: group)
        return [.refused(error.isConflict ? .conflict : error.logError)]
      }
    }
    // Something in the group cannot be written. Each on its own, the others can.
    var results: [WriteResult] = []
    for index in group.indices {
      results += try write(group[index...index])
    }
    return results
  }

  /// Writes a group as one transaction.
  ///
  /// One whose sync failed stands whole in the write-ahead log, where nobody sees it; yet after a crash
  /// it would count. So the first one afterwards writes something in any case: it takes the place of
  /// what was refused.
  private mutating func transact(
    _ group: ArraySlice<WriteRequest>
  ) throws(DatabaseError) -> [WriteResult] {
    var results: [WriteResult] = []
    results.reserveCapacity(group.count)
    try statements.begin.run()
    forks.beginGroup()
    do throws(DatabaseError) {
      for request in group {
        results.append(try apply(request.operation))
      }
      if removals.isEmpty { try sweep.plan(&removals, now: .now) }
      let removed = try removals.removeSome(except: forks)
      try outcomes.removeSome(now: .now)
      if mayHaveLeftovers { try connection.execute("PRAGMA user_version = \(Schema.version)") }
      try statements.commit.run()
      mayHaveLeftovers = false
      forks.didCommit()
      removals.didRemove(removed)
      return results
    } catch {
      mayHaveLeftovers = true
      heads.removeAll()
      forks.didTakeBack()
      removals.didTakeBack()
      outcomes.didTakeBack()
      // Some errors have ended the transaction themselves. If this fails, the connection is of no
      // use any more, which is what the error says that is thrown.
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: Operations

  /// Does what an operation says, or a part of it, within a transaction.
  ///
  /// Where the session is not as the operation expects it, it is refused and nothing was changed.
  private mutating func apply(_ operation: WriteOperation) throws(DatabaseError) -> WriteResult {
    switch operation {
    case .create(let key, let epoch):
      guard let head = try begin(key, epoch: epoch, at: .now) else { return .refused(.conflict) }
      heads[key] = head
    case .append(let key, let batch, let epoch, let version):
      let isExpected = try append(batch, to: key, epoch: epoch, version: version)
      return isExpected ? .written : .refused(.conflict)
    case .end(let key):
      try end(key)
    case .fork(let source, let version, let target, let epoch):
      return try fork(source, at: version, to: target, epoch: epoch)
    case .share(let value, let name): try share(value, as: name)
    case .save(let key, let snapshot, let epoch):
      try save(snapshot, of: key, epoch: epoch)
    case .lookAround: break
    }
    return .written
  }

  /// Begins a history, in place of one that has ended; of one that is copied it takes the key.
  ///
  /// - Returns: Its head, without anything; `nil` where one is there.
  private mutating func begin(
    _ key: SessionKey, epoch: String, at moment: Timestamp, as copy: Int64? = nil
  ) throws(DatabaseError) -> Head? {
    let known = try head(of: key)
    guard known?.isEnded ?? true else { return nil }
    let id: Int64
    if let known {
      id = copy ?? known.id
      try statements.reviveSession.bind(1, known.id)
      try statements.reviveSession.bind(2, id)
      try statements.reviveSession.bind(3, text: epoch)
      try statements.reviveSession.bind(4, moment.milliseconds)
      try statements.reviveSession.run()
    } else {
      id = copy ?? takeID()
      try insertSession(key, id: id, epoch: epoch, at: moment, isEnded: false)
    }
    return Head(id: id, epoch: epoch, isEnded: false, version: 0, snapshot: 0)
  }

  private mutating func insertSession(
    _ key: SessionKey, id: Int64, epoch: String, at moment: Timestamp, isEnded: Bool
  ) throws(DatabaseError) {
    try statements.insertSession.bind(1, id)
    try statements.insertSession.bind(2, text: key.reactor)
    try statements.insertSession.bind(3, text: key.id)
    try statements.insertSession.bind(4, text: epoch)
    try statements.insertSession.bind(5, moment.milliseconds)
    try statements.insertSession.bind(6, isEnded ? 1 : 0)
    try statements.insertSession.run()
  }

  /// A key that no history has, nor what is left of one.
  private mutating func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }

  private mutating func append(
    _ batch: LogBatch, to key: SessionKey, epoch: String, version: Int
  ) throws(DatabaseError) -> Bool {
    guard !batch.isEmpty else { return true }
    let found: Head?
    if let known = try head(of: key) {
      found = known
    } else {
      found =
        version == 0 ? try begin(key, epoch: epoch, at: batch.entries.first?.at ?? .now) : nil
    }
    guard var head = found, !head.isEnded, head.epoch == epoch, head.version == version else {
      return false
    }
    for entry in batch.entries { try insert(entry, into: head.id) }
    for action in batch.accepted { try put(action, into: head.id) }
    for id in batch.finished { try remove(id, from: head.id) }
    for outcome in batch.outcomes { try keep(outcome, in: head.id) }
    head.version += batch.entries.count
    heads[key] = head
    return true
  }

  private func put(_ action: AcceptedAction, into id: Int64) throws(DatabaseError) {
    try statements.putAccepted.bind(1, id)
    try statements.putAccepted.bind(2, action.id.request)
    try statements.putAccepted.bind(3, action.id.place)
    try statements.putAccepted.bind(4, action.at.milliseconds)
    try statements.putAccepted.bind(5, action.runs)
    try statements.putAccepted.bind(6, utf8: action.action)
    try statements.putAccepted.bind(7, action.isInArray ? 1 : 0)
    try statements.putAccepted.bind(8, text: action.key?.name)
    try statements.putAccepted.bind(9, text: action.key?.body)
    try statements.putAccepted.bind(10, utf8: action.failure?.json)
    try statements.putAccepted.run()
  }

  private func remove(_ action: AcceptedAction.ID, from id: Int64) throws(DatabaseError) {
    try statements.removeAccepted.bind(1, id)
    try statements.removeAccepted.bind(2, action.request)
    try statements.removeAccepted.bind(3, action.place)
    try statements.removeAccepted.run()
  }

  private mutating func keep(_ outcome: KeptOutcome, in id: Int64) throws(DatabaseError) {
    try statements.keepOutcome.bind(1, id)
    try statements.keepOutcome.bind(2, text: outcome.key.name)
    try statements.keepOutcome.bind(3, text: outcome.key.body)
    try statements.keepOutcome.bind(4, outcome.at.milliseconds)
    try statements.keepOutcome.bind(5, outcome.version)
    try statements.keepOutcome.bind(6, utf8: outcome.failure?.json)
    try statements.keepOutcome.run()
    outcomes.didKeepOne()
  }

  private func insert(_ entry: LogEntry, into id: Int64) throws(DatabaseError) {
    try statements.insertMutation.bind(1, id)
    try statements.insertMutation.bind(2, entry.version)
    try statements.insertMutation.bind(3, entry.at.milliseconds)
    try statements.insertMutation.bind(4, utf8: entry.action)
    try statements.insertMutation.bind(5, text: entry.global?.name)
    try statements.insertMutation.bind(6, entry.global.map { Int64(bitPattern: $0.revision) })
    try statements.insertMutation.bind(7, utf8: entry.mutation)
    try statements.insertMutation.run()
    guard let global = entry.global else { return }
    try statements.markGlobal.bind(1, id)
    try statements.markGlobal.bind(2, text: global.name)
    try statements.markGlobal.bind(3, Int64(bitPattern: global.revision))
    try statements.markGlobal.run()
  }

  /// Leaves of a session that it has ended.
  ///
  /// Its rows go later, whatever their number.
  private mutating func end(_ key: SessionKey) throws(DatabaseError) {
    let known = try head(of: key)
    guard known?.isEnded != true else { return }
    let id = takeID()
    if let head = known {
      try removals.add(history: head.id)
      try statements.endSession.bind(1, head.id)
      try statements.endSession.bind(2, id)
      try statements.endSession.bind(3, Timestamp.now.milliseconds)
      try statements.endSession.run()
    } else {
      try insertSession(key, id: id, epoch: "", at: .now, isEnded: true)
    }
    heads[key] = Head(id: id, epoch: "", isEnded: true, version: 0, snapshot: 0)
  }

  /// Copies a part of a history, and gives the session what was copied once it is whole.
  private mutating func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String
  ) throws(DatabaseError) -> WriteResult {
    let known = forks.copy(to: target, epoch: epoch)
    guard try head(of: target)?.isEnded ?? true else {
      forks.end(to: target, epoch: epoch)
      return .refused(.conflict)
    }
    let copy: Forks.Copy
    if let known {
      copy = known
    } else {
      let origin = try head(of: source).flatMap { $0.isEnded ? nil : $0 }
      copy = Forks.Copy(id: takeID(), origin: origin)
    }
    guard try forks.copySome(copy, upTo: version) else {
      if known == nil { forks.begin(copy, to: target, epoch: epoch) }
      // A copy that nobody finishes is removed.
      try removals.add(history: copy.id)
      return .unfinished
    }
    forks.end(to: target, epoch: epoch)
    if known != nil { try removals.keep(history: copy.id) }
    guard var head = try begin(target, epoch: epoch, at: .now, as: copy.id) else {
      return .refused(.conflict)
    }
    if let origin = copy.origin {
      head.version = min(version, origin.version)
      head.snapshot = version >= origin.snapshot ? origin.snapshot : version
    }
    heads[target] = head
    return .written
  }

  /// What is refused is not asked for again.
  private mutating func giveUpForks(in group: ArraySlice<WriteRequest>) {
    for request in group {
      guard case .fork(_, _, let target, let epoch) = request.operation else { continue }
      forks.giveUp(to: target, epoch: epoch)
    }
  }

  private mutating func save(
    _ snapshot: Snapshot, of key: SessionKey, epoch: String
  ) throws(DatabaseError) {
    guard var head = try head(of: key), !head.isEnded, head.epoch == epoch,
      snapshot.version <= head.version, snapshot.version >= max(1, head.snapshot)
    else { return }
    try statements.insertSnapshot.bind(1, head.id)
    try statements.insertSnapshot.bind(2, snapshot.version)
    try statements.insertSnapshot.bind(3, utf8: snapshot.state)
    try statements.insertSnapshot.bind(4, text: snapshot.schema)
    try statements.insertSnapshot.run()
    head.snapshot = snapshot.version
    heads[key] = head
    try removals.trim(
      head.id, at: head.version, to: retention[key.reactor], schema: snapshot.schema, now: .now)
    if !removals.areTrimming(head.id) { try thinSnapshots(of: head) }
  }

  /// Removes a snapshot that is close to others, so that a log that is kept for good has many of late
  /// and few of long ago.
  private func thinSnapshots(of head: Head) throws(DatabaseError) {
    try statements.thinSnapshots.bind(1, head.id)
    try statements.thinSnapshots.bind(2, head.version)
    try statements.thinSnapshots.run()
  }

  private func share(_ value: SharedValue, as name: String) throws(DatabaseError) {
    try statements.share.bind(1, text: name)
    try statements.share.bind(2, text: value.epoch)
    try statements.share.bind(3, value.version)
    try statements.share.bind(4, Int64(bitPattern: value.revision))
    try statements.share.bind(5, utf8: value.json)
    try statements.share.run()
  }

  /// The end of a session's history; `nil` where nothing was ever stored.
  private mutating func head(of key: SessionKey) throws(DatabaseError) -> Head? {
    if let head = heads[key] { return head }
    try statements.findSession.bind(1, text: key.reactor)
    try statements.findSession.bind(2, text: key.id)
    guard try statements.findSession.step() else { return nil }
    defer { statements.findSession.reset() }
    let snapshot = statements.findSession.number(4)
    let head = Head(
      id: statements.findSession.integer(0), epoch: statements.findSession.text(1),
      isEnded: statements.findSession.integer(2) != 0,
      version: max(statements.findSession.number(3), snapshot), snapshot: snapshot)
    heads[key] = head
    return head
  }
}
