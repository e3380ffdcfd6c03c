public import ReactorLog
internal import Synchronization

extension NATSLog: MutationLog {
  /// The log of a session.
  public func session(_ key: SessionKey) -> any SessionLog {
    NATSSessionLog(key, in: store)
  }

  /// Creates a session with another one's history up to a version.
  ///
  /// The entries and the latest snapshots are copied; then one message makes the new session
  /// visible. At most 64 forks are copied at the same time; further ones fail.
  public func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let fork = SessionFork(
      store: store, source: source, cursor: cursor, target: target, epoch: epoch,
      parameters: parameters)
    store.executor.execute(
      { () async throws(LogError) in try await fork.create() }, completion: completion)
  }

  /// Lists the stored sessions of a reactor.
  ///
  /// The cost depends on the number of its sessions: the brokers list all subjects of the reactor.
  public func sessions(
    of reactor: String, after id: String?, limit: Int,
    completion: @escaping ReadCompletion<[SessionSummary]>
  ) {
    store.executor.execute(
      { [lists] () async throws(LogError) in
        try await lists.sessions(of: reactor, after: id, limit: limit)
      }, completion: completion)
  }

  /// Lists the sessions with unfinished actions.
  public func unfinishedSessions(
    after key: SessionKey?, limit: Int, completion: @escaping ReadCompletion<[SessionKey]>
  ) {
    store.executor.execute(
      { [lists] () async throws(LogError) in
        try await lists.unfinishedSessions(after: key, limit: limit)
      }, completion: completion)
  }

  /// Reads the timers that are due.
  ///
  /// The first call, and the first one after ``forgetTimers()``, reads the timers of all sessions; the
  /// others do not read the store.
  public func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int,
    completion: @escaping ReadCompletion<DueTimers>
  ) {
    withTimers(completion) { $0.due(after: position, until: time, limit: limit) }
  }

  /// Counts the timers.
  public func timerCount(completion: @escaping ReadCompletion<Int>) {
    withTimers(completion) { $0.count }
  }

  /// Causes the next call of a function that returns timers to read the timers of all sessions
  /// again.
  public func forgetTimers() {
    timerReads.withLock { $0.requested += 1 }
  }

  private func withTimers<Value: Sendable>(
    _ completion: @escaping ReadCompletion<Value>,
    _ body: @escaping @Sendable (TimerTable) -> Value
  ) {
    let (requested, completed) = timerReads.withLock { $0 }
    guard completed < requested else { return completion(.success(body(store.timers))) }
    store.executor.execute(
      { [self] () async throws(LogError) in
        try await lists.readTimers()
        timerReads.withLock { $0.completed = max($0.completed, requested) }
        return body(store.timers)
      }, completion: completion)
  }

  /// Reads the current value of a global.
  public func sharedValue(_ name: String, completion: @escaping ReadCompletion<SharedValue?>) {
    store.executor.execute(
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

  /// Confirms with a write to LIVE that this process is not cut off from the majority of the brokers.
  public func confirmReads(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    store.executor.execute(
      { [store] () async throws(LogError) in try await store.proof.renew() }, completion: completion
    )
  }

  /// The changes of all sessions, or `nil` if they are not retained.
  public var changes: (any ChangeFeed)? { store.feed.withLock { $0 } }

  /// Declares which snapshots a hosted reactor can decode.
  public func willFold(_ reactor: String, schema: String) {
    store.retention.willFold(reactor, schema: schema)
  }

  /// `false`: reading calls complete later.
  public var readsFromDisk: Bool { false }
}

/// Reads. Their completions are called on the concurrent queue of the store; that of an outcome in
/// memory is called immediately.
extension NATSSessionLog {
  func load(schema: String?, completion: @escaping ReadCompletion<LoadedSession>) {
    store.executor.execute(
      { [self] () async throws(LogError) in
        try await withClaim { [self] head async throws(LogError) in
          store.timers.refresh(head, of: key, in: store.names)
          guard head.status == .stored else { return LoadedSession(head.record) }
          let snapshots = store.snapshots(of: key)
          var snapshot = try await snapshots.snapshot(
            of: head, atOrBefore: head.version, schema: schema)
          if snapshot == nil, head.beginning.floor > 0 {
            snapshot = try await snapshots.snapshot(
              of: head, atOrBefore: head.version, schema: nil)
          }
          let entries = try await history.entries(
            of: head, after: snapshot?.version ?? 0, limit: LoadedSession.pageLength)
          return LoadedSession(
            head.record, snapshot: snapshot, entries: entries,
            acceptedActions: head.journal.acceptedActions,
            timers: Array(head.journal.timers.values),
            lastWriter: head.writer.map { NodeID($0) })
        }
      }, completion: completion)
  }

  func lastWriter(completion: @escaping ReadCompletion<NodeID?>) {
    store.executor.execute(
      { [self] () async throws(LogError) in
        // Without claiming the end: the session is not loaded yet.
        let head = try await history.head()
        store.timers.refresh(head, of: key, in: store.names)
        return head.writer.map { NodeID($0) }
      }, completion: completion)
  }

  func record(completion: @escaping ReadCompletion<SessionRecord>) {
    store.executor.execute(
      { [self] () async throws(LogError) in
        try await readHead().record
      }, completion: completion)
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping ReadCompletion<[LogEntry]>
  ) {
    store.executor.execute(
      { [self] () async throws(LogError) in
        let history = history
        return try await history.withHead(isComplete: false, notBefore: knownEnd) {
          head async throws(LogError) in
          try await history.entries(of: head, after: version, limit: limit)
        }
      }, completion: completion)
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?, completion: @escaping ReadCompletion<Snapshot?>
  ) {
    store.executor.execute(
      { [self] () async throws(LogError) in
        let history = history
        return try await history.withHead(isComplete: false, notBefore: knownEnd) {
          head async throws(LogError) in
          guard head.status == .stored else { return nil }
          var head = head
          head.beginning = try await history.beginning(of: head)
          return try await store.snapshots(of: key).snapshot(
            of: head, atOrBefore: min(version, head.version), schema: schema)
        }
      }, completion: completion)
  }

  func outcome(of name: String, completion: @escaping ReadCompletion<StoredOutcome?>) {
    if let known = knownOutcome(of: name) { return completion(.success(known)) }
    store.executor.execute(
      { [self] () async throws(LogError) in
        try await readOutcome(of: name)
      }, completion: completion)
  }
}
