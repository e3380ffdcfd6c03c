public import ReactorLog
internal import Synchronization

extension NATSLog: MutationLog {
  /// The log of a session.
  public func session(_ key: SessionKey) -> any SessionLog {
    NATSSessionLog(key, in: store)
  }

  /// Creates a session with another one's history up to a version.
  ///
  /// The new session refers to the messages of the other one, which are never deleted, so that the
  /// cost does not depend on the length of the history. Its latest snapshots are copied.
  public func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String,
    parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let log = NATSSessionLog(target, in: store)
    let fork = SessionFork(
      store: store, source: source, version: version, target: target, epoch: epoch,
      parameters: parameters)
    store.executor.detach { [store] in
      do throws(LogError) {
        let begin = try await fork.prepare()
        log.write(begin, completion: completion)
      } catch {
        store.executor.complete { completion(.failure(error)) }
      }
    }
  }

  /// The stored sessions of a reactor.
  ///
  /// The cost depends on their number: the brokers list the subjects of the reactor.
  public func sessions(
    of reactor: String, after id: String?, limit: Int,
    completion: @escaping ReadCompletion<[SessionSummary]>
  ) {
    store.executor.perform(
      { [lists] () async throws(LogError) in
        try await lists.sessions(of: reactor, after: id, limit: limit)
      }, completion: completion)
  }

  /// The sessions with unfinished actions.
  public func unfinishedSessions(
    after key: SessionKey?, limit: Int, completion: @escaping ReadCompletion<[SessionKey]>
  ) {
    store.executor.perform(
      { [lists] () async throws(LogError) in
        try await lists.unfinishedSessions(after: key, limit: limit)
      }, completion: completion)
  }

  /// The timers that are due.
  ///
  /// The first call reads the timers of all sessions; later ones do not read the store.
  public func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int,
    completion: @escaping ReadCompletion<DueTimers>
  ) {
    withTimers(completion) { $0.due(after: position, until: time, limit: limit) }
  }

  /// The number of timers.
  public func timerCount(completion: @escaping ReadCompletion<Int>) {
    withTimers(completion) { $0.count }
  }

  private func withTimers<Value: Sendable>(
    _ completion: @escaping ReadCompletion<Value>,
    _ body: @escaping @Sendable (TimerTable) -> Value
  ) {
    if timersAreRead.withLock({ $0 }) { return completion(.success(body(store.timers))) }
    store.executor.perform(
      { [self] () async throws(LogError) in
        try await lists.readTimers()
        timersAreRead.withLock { $0 = true }
        return body(store.timers)
      }, completion: completion)
  }

  /// The current value of a global.
  public func sharedValue(_ name: String, completion: @escaping ReadCompletion<SharedValue?>) {
    store.executor.perform(
      { [globals] () async throws(LogError) in
        try await globals.value(name)
      }, completion: completion)
  }

  /// Sets a global.
  public func share(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    globals.set(value, as: name, completion: completion)
  }

  /// `false`: reading calls complete later.
  public var readsFromDisk: Bool { false }
}

/// The reading half; completions are called on the concurrent queue of the store.
extension NATSSessionLog {
  func load(schema: String?, completion: @escaping ReadCompletion<LoadedSession>) {
    store.executor.perform(
      { [self] () async throws(LogError) in
        let head = try await readHead()
        guard head.status == .stored else { return LoadedSession(head.record) }
        let snapshot = try await store.snapshots(of: key).snapshot(
          of: head.epoch, atOrBefore: head.version, schema: schema)
        let base = snapshot?.version ?? 0
        let entries = try await history.entries(
          of: head, after: base, limit: LoadedSession.pageLength)
        return LoadedSession(
          head.record, snapshot: snapshot, entries: entries,
          acceptedActions: head.journal.acceptedActions, timers: Array(head.journal.timers.values),
          lastWriter: head.writer.map { NodeID($0) })
      }, completion: completion)
  }

  func lastWriter(completion: @escaping ReadCompletion<NodeID?>) {
    store.executor.perform(
      { [self] () async throws(LogError) in
        // Without claiming the end: the session is not loaded yet.
        try await history.head().writer.map { NodeID($0) }
      }, completion: completion)
  }

  func record(completion: @escaping ReadCompletion<SessionRecord>) {
    store.executor.perform(
      { [self] () async throws(LogError) in
        try await readHead().record
      }, completion: completion)
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping ReadCompletion<[LogEntry]>
  ) {
    store.executor.perform(
      { [self] () async throws(LogError) in
        let head = try await history.head(isComplete: false)
        return try await history.entries(of: head, after: version, limit: limit)
      }, completion: completion)
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?, completion: @escaping ReadCompletion<Snapshot?>
  ) {
    store.executor.perform(
      { [self] () async throws(LogError) in
        let head = try await history.head(isComplete: false)
        guard head.status == .stored else { return nil }
        return try await store.snapshots(of: key).snapshot(
          of: head.epoch, atOrBefore: min(version, head.version), schema: schema)
      }, completion: completion)
  }

  func outcome(of name: String, completion: @escaping ReadCompletion<StoredOutcome?>) {
    if let known = knownOutcome(of: name) { return completion(.success(known)) }
    store.executor.perform(
      { [self] () async throws(LogError) in
        try await readOutcome(of: name)
      }, completion: completion)
  }
}
