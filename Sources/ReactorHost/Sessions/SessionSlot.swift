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
    for intent: SessionIntent, parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live, parameters == nil, intent == .use || intent == .ensure && live.isStored {
      return completion(.success(OpenedSession(session: live, wasCreated: false)))
    }
    operations.enqueue { [self] done in
      load(for: intent, parameters) { [self] result in
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
    _ source: SessionKey, at version: Int, parameters: [UInt8]?,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    operations.enqueue { [self] done in
      @Sendable func finish(_ result: Result<OpenedSession, SessionError>) {
        completion(result)
        done()
      }
      guard live == nil else { return finish(.failure(.exists)) }
      environment.log.fork(
        source, at: version, to: key, epoch: Epoch.random(), parameters: parameters
      ) { [self] result in
        switch result {
        case .success:
          load(for: .use, nil) { result in
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
    for intent: SessionIntent, _ parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live {
      switch intent {
      case .create: return completion(.failure(.exists))
      case _ where isOther(parameters, than: live.parameters):
        return completion(.failure(.otherParameters))
      case .use:
        return completion(.success(OpenedSession(session: live, wasCreated: false)))
      case .ensure: return store(live, completion)
      }
    }
    if environment.settings.marking?.isQuarantined(key, .session) == true {
      return completion(.failure(.quarantined))
    }
    do {
      switch try log.record() {
      case .stored(let stored):
        try open(stored, for: intent, parameters, completion)
      case .ended:
        state.withLock { $0 = .ended }
        guard intent != .use else { return completion(.failure(.ended)) }
        create(newSession(Epoch.random(), parameters), for: intent, parameters, completion)
      case .none:
        let first = newSession(Epoch.first(of: key), parameters)
        guard intent == .use else { return create(first, for: intent, parameters, completion) }
        guard environment.settings.sessionCreation == .implicit else {
          return completion(.failure(.unknown))
        }
        guard let first else { return completion(.failure(.needsParameters)) }
        let session = try begin(first, instance(first), isStored: false)
        publish(session)
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Opens a session that the log has.
  private func open(
    _ stored: StoredSession, for intent: SessionIntent, _ parameters: [UInt8]?,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) throws {
    guard intent != .create else { return completion(.failure(.exists)) }
    guard !isOther(parameters, than: stored.parameters ?? defaultParameters) else {
      return completion(.failure(.otherParameters))
    }
    try restore(stored, completion)
  }

  /// Whether a request names other parameters than a session has.
  private func isOther(_ parameters: [UInt8]?, than own: [UInt8]?) -> Bool {
    parameters != nil && parameters != own
  }

  private var defaultParameters: [UInt8]? { environment.witness.parameters?.defaults }

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
    _ stored: StoredSession?, for intent: SessionIntent, _ parameters: [UInt8]?,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    guard let stored else { return completion(.failure(.needsParameters)) }
    log.create(epoch: stored.epoch, parameters: stored.parameters) { [self] result in
      switch result {
      case .success:
        do {
          let session = try begin(stored, instance(stored))
          publish(session)
          completion(.success(OpenedSession(session: session, wasCreated: true)))
        } catch {
          completion(.failure(.log(reported(error))))
        }
      case .failure(.conflict): openExisting(for: intent, parameters, completion)
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  /// Opens the session that another writer has created first.
  private func openExisting(
    for intent: SessionIntent, _ parameters: [UInt8]?,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    do {
      guard case .stored(let stored) = try log.record() else { throw LogError.conflict }
      try open(stored, for: intent, parameters, completion)
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
    log.create(epoch: session.epoch, parameters: session.parameters) { [log] result in
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

  /// The record of a new session; `nil` if its reactor requires parameters that are missing.
  private func newSession(_ epoch: String, _ parameters: [UInt8]?) -> StoredSession? {
    let parameters = parameters ?? defaultParameters
    guard parameters != nil || environment.witness.parameters == nil else { return nil }
    return StoredSession(
      epoch: epoch, version: 0, lastActiveAt: .now, parameters: parameters)
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
    guard stored.version > 0 else { return try begin(stored, instance(stored)) }
    let mark = environment.settings.marking?.begin(key, .session, [])
    defer { if let mark { environment.settings.marking?.end(mark) } }
    guard let restored = try environment.witness.fold(log, stored.version, scope(stored)) else {
      throw LogError.corrupt("Some of the session's mutations are missing.")
    }
    let session = try begin(
      stored, instance(stored, from: restored.state), snapshot: restored.snapshot)
    // The next load begins with a snapshot.
    if stored.version - restored.snapshot >= environment.settings.snapshotInterval {
      session.takeSnapshot()
    }
    return session
  }

  private func scope(_ stored: StoredSession) -> SessionScope {
    environment.scope(of: key, stored.parameters)
  }

  private func instance(
    _ stored: StoredSession, from state: (any Sendable)? = nil
  ) throws -> NewInstance {
    try environment.witness.hotPath.instantiate(state, scope(stored))
  }

  private func begin(
    _ stored: StoredSession, _ instance: NewInstance, isStored: Bool = true, snapshot: Int = 0
  ) throws(LogError) -> LiveSession {
    let timers = stored.hasTimers ? try log.timers() : []
    let session = LiveSession(
      key, stored: stored, isStored: isStored, snapshot: snapshot, timers: timers,
      instance: instance, log: log, environment: environment)
    // The first state could not be encoded.
    if let fault = session.fault { throw fault }
    if let observer = environment.observerMaker?(key), let base = session.observe(observer) {
      observer.begin(from: base)
    }
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
