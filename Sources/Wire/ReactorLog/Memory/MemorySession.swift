internal import Synchronization

/// The data of a session in memory.
///
/// Its key and the table are parameters of the methods that need them: as properties, they would
/// make each session larger.
final class MemorySession: Sendable {
  /// The history of a session.
  struct History: Sendable {
    var entries: [LogEntry] = []
    var version = 0
    var lastActiveAt = Timestamp(milliseconds: 0)
    var globals: [String: UInt64] = [:]
    var snapshots: [Snapshot] = []  // in ascending order of their versions

    /// The bytes of the entries and snapshots.
    var byteCount: Int {
      entries.reduce(0) { $0 + $1.byteCount } + snapshots.reduce(0) { $0 + $1.state.count }
    }

    /// The version before the first retained entry.
    var oldest: Int { version - entries.count }

    func entries(after version: Int, limit: Int) -> [LogEntry] {
      let start = min(max(0, version - oldest), entries.count)
      return Array(entries[start...].prefix(limit))
    }
  }

  private struct Contents {
    var epoch: String?
    var isEnded = false
    var parameters: [UInt8]?
    var history = History()
    var accepted: [AcceptedAction.ID: AcceptedAction] = [:]
    var outcomes = MemoryOutcomes()
    var timers: [String: StoredTimer] = [:]
    /// The bytes of everything but the history.
    var bytes = 0

    var record: SessionRecord {
      if isEnded { return .ended }
      guard let epoch else { return .none }
      return .stored(
        StoredSession(
          epoch: epoch, version: history.version, lastActiveAt: history.lastActiveAt,
          globals: history.globals, isUnfinished: !accepted.isEmpty, hasTimers: !timers.isEmpty,
          parameters: parameters))
    }

    var acceptedActions: [AcceptedAction] {
      accepted.values.sorted { ($0.id.request, $0.id.place) < ($1.id.request, $1.id.place) }
    }
  }

  private let contents = Mutex(Contents())

  func record() -> SessionRecord {
    contents.withLock { $0.record }
  }

  /// Whether the session has a history that has not ended.
  var isStored: Bool {
    contents.withLock { !$0.isEnded && $0.epoch != nil }
  }

  /// Starts a history, possibly in place of an ended one.
  ///
  /// - Returns: That it is created; rejected, if the session has a history, or has an ended one that must not
  ///   be replaced; or full.
  func begin(
    _ epoch: String, with history: History?, parameters: [UInt8]?, replacesEnded: Bool = true,
    forkedFrom origin: StoreChange.Origin? = nil, of key: SessionKey, in table: MemoryTable
  ) -> AppendResult {
    contents.withLock { contents in
      guard contents.isEnded ? replacesEnded : contents.epoch == nil else { return .rejected }
      let bytes = parameters?.count ?? 0
      guard bytes == 0 || table.budget.reserve(bytes) else { return .full }
      contents = Contents(
        epoch: epoch, parameters: parameters, history: history ?? History(lastActiveAt: .now),
        bytes: bytes)
      table.feed?.append(
        .began(forkedFrom: origin), of: key,
        at: Cursor(epoch: epoch, version: contents.history.version), .now)
      return .created
    }
  }

  /// The result of an append or a beginning.
  enum AppendResult {
    case appended
    /// The batch has created the session.
    case created
    /// The session is at another version or epoch than expected.
    case rejected
    /// The histories of all sessions have the bytes that they may have.
    case full
  }

  /// Appends a batch if the session is at the expected version and epoch.
  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int, of key: SessionKey,
    in table: MemoryTable
  ) -> AppendResult {
    contents.withLock { contents in
      guard !contents.isEnded, contents.epoch ?? epoch == epoch, contents.history.version == version
      else { return .rejected }
      let isNew = contents.epoch == nil
      let bytes = batch.byteCountBesideEntries + (isNew ? batch.parameters?.count ?? 0 : 0)
      let size = batch.entries.reduce(bytes) { $0 + $1.byteCount }
      if size > 0, !table.budget.reserve(size) {
        table.budget.release(contents.history.trim(to: 0))
        guard table.budget.reserve(size) else { return .full }
      }
      var removed = 0
      if isNew {
        contents.history.lastActiveAt = .now
        contents.parameters = batch.parameters
        table.feed?.append(
          .began(forkedFrom: nil), of: key, at: Cursor(epoch: epoch, version: 0), .now)
      }
      if isNew { contents.epoch = epoch }
      contents.history.version += batch.entries.count
      contents.history.entries += batch.entries
      // Access the entries by index: an iteration, or `last`, would copy them.
      for index in batch.entries.indices {
        contents.history.lastActiveAt = batch.entries[index].at
        guard let global = batch.entries[index].global else { continue }
        contents.history.globals[global.name] = global.revision
      }
      for mark in batch.received { contents.history.globals[mark.name] = mark.revision }
      let wasUnfinished = !contents.accepted.isEmpty
      for action in batch.accepted {
        removed += contents.accepted.updateValue(action, forKey: action.id)?.byteCount ?? 0
      }
      for id in batch.finished {
        removed += contents.accepted.removeValue(forKey: id)?.byteCount ?? 0
      }
      let isUnfinished = !contents.accepted.isEmpty
      if isUnfinished != wasUnfinished {
        table.unfinished.withLock { isUnfinished ? $0.insert(key) : $0.remove(key) }
      }
      for outcome in batch.outcomes {
        removed += contents.outcomes.insert(outcome, forgettingAfter: table.outcomeRetention)
      }
      if let feed = table.feed, let last = batch.entries.last {
        feed.append(
          .changed(from: version), of: key, at: Cursor(epoch: epoch, version: last.version),
          last.at, by: last.by)
      }
      for change in batch.timers {
        set(change.timer, replacing: contents.timers[change.id], of: key, in: table)
        removed += contents.timers[change.id]?.byteCount ?? 0
        contents.timers[change.id] = change.timer
      }
      contents.bytes += bytes - removed
      if removed > 0 { table.budget.release(removed) }
      if !batch.failures.isEmpty || !batch.settled.isEmpty {
        table.failures.withLock { failures in
          let rest = failures[key.reactor, default: []].filter { !batch.settled.contains($0.id) }
          failures[key.reactor] = (rest + batch.failures).suffix(StoredFailure.limit)
        }
      }
      return isNew ? .created : .appended
    }
  }

  func end(of key: SessionKey, in table: MemoryTable) {
    contents.withLock { contents in
      if let epoch = contents.epoch {
        let cursor = Cursor(epoch: epoch, version: contents.history.version)
        table.feed?.append(.ended, of: key, at: cursor, .now)
      }
      for timer in contents.timers.values { set(nil, replacing: timer, of: key, in: table) }
      if !contents.accepted.isEmpty { table.unfinished.withLock { $0.remove(key) } }
      table.failures.withLock { $0[key.reactor]?.removeAll { $0.session == key.id } }
      table.budget.release(contents.history.byteCount + contents.bytes)
      contents = Contents(isEnded: true)
    }
  }

  /// Replaces a timer in the index.
  private func set(
    _ timer: StoredTimer?, replacing old: StoredTimer?, of key: SessionKey, in table: MemoryTable
  ) {
    // The table never releases a session, so that its address identifies it.
    let history = Int64(Int(bitPattern: ObjectIdentifier(self)))
    table.timers.withLock { index in
      if let old {
        index.remove(at: TimerPosition(due: old.due, history: history, id: old.id))
      }
      guard let timer else { return }
      index.insert(
        DueTimer(
          key: key, position: TimerPosition(due: timer.due, history: history, id: timer.id)))
    }
  }

  // MARK: Reading

  func load(schema: String?) -> LoadedSession {
    contents.withLock { contents in
      let history = contents.history
      let snapshot =
        history.snapshots.last { $0.schema == schema ?? $0.schema }
        ?? (history.oldest > 0 ? history.snapshots.last : nil)
      return LoadedSession(
        contents.record, snapshot: snapshot,
        entries: history.entries(
          after: snapshot?.version ?? 0, limit: LoadedSession.pageLength),
        acceptedActions: contents.acceptedActions, timers: Array(contents.timers.values))
    }
  }

  func entries(after version: Int, limit: Int) -> [LogEntry] {
    contents.withLock { $0.history.entries(after: version, limit: limit) }
  }

  func snapshot(atOrBefore version: Int, of schema: String?) -> Snapshot? {
    contents.withLock { contents in
      contents.history.snapshots.last {
        $0.version <= version && $0.schema == schema ?? $0.schema
      }
    }
  }

  func outcome(of key: String) -> StoredOutcome? {
    contents.withLock { $0.outcomes[key] }
  }

  /// Returns the history up to a version and its parameters, for a fork.
  ///
  /// - Parameters:
  ///   - cursor: The epoch of the history, and the version.
  ///   - parameters: The parameters of the fork, for which the snapshots are not valid, or `nil` for those
  ///     of the session.
  /// - Returns: `nil` if the history has ended, or if the State of the version cannot be folded from
  ///   it.
  func history(
    upTo cursor: Cursor, parameters: [UInt8]?
  ) -> (history: History, parameters: [UInt8]?)? {
    let stored = contents.withLock { contents in
      contents.isEnded || contents.epoch ?? cursor.epoch != cursor.epoch
        ? nil : (contents.history, contents.parameters)
    }
    let version = cursor.version
    // A snapshot of the version before the first retained entry replaces the earlier ones.
    guard var (history, inherited) = stored, history.oldest <= version, version <= history.version,
      parameters == nil || history.oldest == 0
    else { return nil }
    if let parameters {
      history.snapshots = []
      inherited = parameters
    }
    let dropped = history.entries.suffix(max(0, history.version - version))
    // The revisions that dropped entries have set are invalid. Revisions that neither a dropped nor
    // a remaining entry has set come from entries that retention has deleted, and are valid.
    for entry in dropped {
      if let global = entry.global { history.globals[global.name] = nil }
    }
    history.entries.removeLast(dropped.count)
    for entry in history.entries {
      if let global = entry.global { history.globals[global.name] = global.revision }
    }
    history.snapshots.removeAll { $0.version > version }
    history.version = version
    history.lastActiveAt = .now
    return (history, inherited)
  }

  // MARK: Retention

  func save(_ snapshot: Snapshot, of epoch: String, of reactor: String, in table: MemoryTable) {
    contents.withLock { contents in
      guard contents.epoch == epoch, snapshot.version <= contents.history.version,
        snapshot.version >= contents.history.snapshots.last?.version ?? 1
      else { return }
      if let last = contents.history.snapshots.last, last.version == snapshot.version {
        contents.history.snapshots.removeLast()
        table.budget.release(last.state.count)
      }
      contents.history.snapshots.append(snapshot)
      table.budget.take(snapshot.state.count)
      table.budget.release(contents.history.trim(to: table.retained(of: reactor)))
    }
  }
}

extension LogBatch {
  /// The bytes that the batch adds to a session in memory beside its entries and parameters, approximately.
  fileprivate var byteCountBesideEntries: Int {
    accepted.reduce(0) { $0 + $1.byteCount } + outcomes.reduce(0) { $0 + $1.byteCount }
      + timers.reduce(0) { $0 + ($1.timer?.byteCount ?? 0) }
  }
}

extension MemorySession.History {
  /// Deletes the entries up to the latest snapshot that is old enough to replace them.
  ///
  /// - Returns: The bytes that were deleted.
  fileprivate mutating func trim(to retained: Int) -> Int {
    guard let keep = snapshots.lastIndex(where: { $0.version <= version - retained }) else {
      return 0
    }
    let count = min(entries.count, max(0, snapshots[keep].version - oldest))
    let bytes =
      entries.prefix(count).reduce(0) { $0 + $1.byteCount }
      + snapshots.prefix(keep).reduce(0) { $0 + $1.state.count }
    entries.removeFirst(count)
    snapshots.removeFirst(keep)
    return bytes
  }
}
