internal import ReactorLog
internal import ReactorStreams
internal import Synchronization
internal import Telemetry

/// The entry of one session in its reactor's table: loads the session with its first use.
final class SessionSlot: Sendable {
  private enum State {
    case unloaded
    case live(LiveSession)
    case ended
  }

  let key: SessionKey
  private let environment: ReactorEnvironment
  private let log: any SessionLog
  private let state = Mutex(State.unloaded)
  private let use = Atomic<UInt>(0)
  /// Loads, creates and ends the session, one at a time.
  private let operations = SerialAsyncQueue()

  init(_ key: SessionKey, environment: ReactorEnvironment) {
    self.key = key
    self.environment = environment
    log = environment.log.session(key)
  }

  /// The session if it is in memory; `nil` also if the log has interrupted it, to load it again.
  var live: LiveSession? {
    guard case .live(let session) = state.withLock({ $0 }) else { return nil }
    guard !session.isInterrupted else {
      forget(session)
      return nil
    }
    return session
  }

  // MARK: Use

  /// Records a use for ``lastUse``.
  func didUse(in sweep: UInt) {
    use.store(sweep, ordering: .relaxed)
  }

  /// The number of the sweep before the last use.
  var lastUse: UInt {
    use.load(ordering: .relaxed)
  }

  /// Ends the session to evict the slot, unless the session is in use.
  ///
  /// The table removes the slot then and calls ``shutDown()``.
  ///
  /// - Returns: Whether the slot can be removed.
  func evict() -> Bool {
    state.withLock { state in
      guard case .live(var session) = state else { return true }
      state = .unloaded  // so that `session` is the only reference
      defer { state = .live(session) }
      return isKnownUniquelyReferenced(&session) && session.evict()
    }
  }

  /// Whether there is no session in memory.
  var isVacant: Bool { live == nil }

  /// Ends the reactor of an evicted session.
  func shutDown() {
    live?.shutDown()
  }

  func open(
    for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live, intent == .use || intent == .ensure && live.isStored {
      return completion(.success(OpenedSession(session: live, wasCreated: false)))
    }
    operations.enqueue { [self] done in
      load(for: intent) { [self] result in
        completion(result)
        if live == nil { environment.evictable.insert(key.id) }
        done()
      }
    }
  }

  /// Whether the session is in memory or in the log.
  func exists() throws(LogError) -> Bool {
    if live != nil { return true }
    return try log.record() != .none
  }

  /// Creates the session with the history of another one up to a version.
  func fork(
    _ source: SessionKey, at version: Int,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    operations.enqueue { [self] done in
      @Sendable func finish(_ result: Result<OpenedSession, SessionError>) {
        completion(result)
        done()
      }
      guard live == nil else { return finish(.failure(.exists)) }
      environment.log.fork(source, at: version, to: key, epoch: Epoch.random()) { [self] result in
        switch result {
        case .success:
          load(for: .use) { result in
            finish(result.map { OpenedSession(session: $0.session, wasCreated: true) })
          }
        case .failure(.conflict): finish(.failure(.exists))
        case .failure(let error): finish(.failure(.log(error)))
        }
      }
    }
  }

  func end(completion: @escaping @Sendable (Result<Void, SessionError>) -> Void) {
    operations.enqueue { [self] done in
      let session = live
      session?.beginEnding()
      log.end { [self] result in
        switch result {
        case .success:
          state.withLock { $0 = .ended }
          session?.close(.deleted)
          completion(.success(()))
          environment.evictable.insert(key.id)
        case .failure(let error):
          session?.cancelEnding()
          completion(.failure(.log(error)))
        }
        done()
      }
    }
  }

  // MARK: Loading

  private func load(
    for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live {
      switch intent {
      case .use:
        return completion(.success(OpenedSession(session: live, wasCreated: false)))
      case .ensure: return store(live, completion)
      case .create: return completion(.failure(.exists))
      }
    }
    if environment.settings.marking?.isQuarantined(key, .session) == true {
      return completion(.failure(.quarantined))
    }
    do {
      switch try log.record() {
      case .stored(let stored):
        guard intent != .create else { return completion(.failure(.exists)) }
        try restore(stored, completion)
      case .ended:
        state.withLock { $0 = .ended }
        guard intent != .use else { return completion(.failure(.ended)) }
        create(newSession(Epoch.random()), for: intent, completion)
      case .none:
        let first = newSession(Epoch.first(of: key))
        guard intent == .use else { return create(first, for: intent, completion) }
        guard environment.settings.sessionCreation == .implicit else {
          return completion(.failure(.unknown))
        }
        let session = try begin(first, instance(), isStored: false)
        publish(session)
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Logs why the session cannot be opened, and converts the error.
  private func reported(_ error: any Error) -> LogError {
    let error = error as? LogError ?? .corrupt("\(error)")
    let fields: KeyValuePairs = [
      "reactor": key.reactor, "session": key.id, "error": "\(error)",
    ]
    switch error {
    case .corrupt, .unreadable: environment.logger.error("session cannot be read", fields)
    case .conflict, .full, .unavailable: break  // the store logs these
    }
    return error
  }

  private func create(
    _ stored: StoredSession, for intent: SessionIntent,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    log.create(epoch: stored.epoch) { [self] result in
      switch result {
      case .success:
        do {
          let session = try begin(stored, instance())
          publish(session)
          completion(.success(OpenedSession(session: session, wasCreated: true)))
        } catch {
          completion(.failure(.log(reported(error))))
        }
      case .failure(.conflict): openExisting(for: intent, completion)
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  /// Opens the session that another writer has created first.
  private func openExisting(
    for intent: SessionIntent,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    do {
      guard case .stored(let stored) = try log.record() else { throw LogError.conflict }
      guard intent != .create else { return completion(.failure(.exists)) }
      try restore(stored, completion)
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Stores a session that is in memory only.
  private func store(
    _ session: LiveSession,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    let opened = OpenedSession(session: session, wasCreated: false)
    guard !session.isStored else { return completion(.success(opened)) }
    log.create(epoch: session.epoch) { [log] result in
      switch result {
      case .success:
        session.didStore()
        completion(.success(opened))
      case .failure(.conflict):
        // Its own first mutation may have stored it.
        if case .stored(let stored)? = try? log.record(), stored.epoch == session.epoch {
          completion(.success(opened))
        } else {
          completion(.failure(.log(.conflict)))
        }
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  private func newSession(_ epoch: String) -> StoredSession {
    StoredSession(epoch: epoch, version: 0, lastActiveAt: .now)
  }

  /// Loads a stored session, and starts the effects again that the end of a process interrupted.
  private func restore(
    _ stored: StoredSession,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) throws {
    let accepted = stored.isUnfinished ? try log.acceptedActions() : []
    let session = try fold(stored)
    let opened = OpenedSession(session: session, wasCreated: false)
    guard !accepted.isEmpty else {
      publish(session)
      return completion(.success(opened))
    }
    // No other action is executed before the accepted ones.
    JournalRecovery(session: session).resume(accepted) { [self] in
      if let fault = session.fault { return completion(.failure(.log(fault))) }
      publish(session)
      completion(.success(opened))
    }
  }

  private func fold(_ stored: StoredSession) throws -> LiveSession {
    guard stored.version > 0 else { return try begin(stored, instance()) }
    let mark = environment.settings.marking?.begin(key, .session, [])
    defer { if let mark { environment.settings.marking?.end(mark) } }
    guard let restored = try environment.witness.fold(log, stored.version, scope) else {
      throw LogError.corrupt("Some of the session's mutations are missing.")
    }
    let session = try begin(
      stored, instance(from: restored.state), snapshot: restored.snapshot)
    // The next load begins with a snapshot.
    if stored.version - restored.snapshot >= environment.settings.snapshotInterval {
      session.takeSnapshot()
    }
    return session
  }

  private var scope: SessionScope {
    SessionScope(key, logger: environment.logger)
  }

  private func instance(from state: (any Sendable)? = nil) throws -> NewInstance {
    try environment.witness.hotPath.instantiate(state, scope)
  }

  private func begin(
    _ stored: StoredSession, _ instance: NewInstance, isStored: Bool = true, snapshot: Int = 0
  ) throws(LogError) -> LiveSession {
    let session = LiveSession(
      key, stored: stored, isStored: isStored, snapshot: snapshot,
      instance: instance, log: log, environment: environment)
    // The first state could not be encoded.
    if let fault = session.fault { throw fault }
    return session
  }

  /// Returns the session to every caller from now on.
  private func publish(_ session: LiveSession) {
    state.withLock { $0 = .live(session) }
  }

  private func forget(_ session: LiveSession) {
    state.withLock { state in
      if case .live(let held) = state, held === session { state = .unloaded }
    }
  }
}
