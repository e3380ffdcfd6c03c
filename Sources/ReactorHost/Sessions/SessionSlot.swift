internal import ReactorStreams
internal import Synchronization

/// The place of one session in the table: loads it with its first use, and knows when it is gone.
final class SessionSlot: Sendable {
  private enum State {
    case unloaded
    case live(LiveSession)
    case ended
  }

  let key: SessionKey
  private let blueprint: any Blueprint
  private let environment: HostEnvironment
  private let log: any SessionLog
  private let state = Mutex(State.unloaded)
  private let use = Atomic<UInt>(0)
  /// Loading, making and ending happen one at a time; who comes meanwhile waits in line.
  private let changes = ChangeLine()

  init(_ key: SessionKey, blueprint: any Blueprint, environment: HostEnvironment) {
    self.key = key
    self.blueprint = blueprint
    self.environment = environment
    log = environment.log.session(key)
  }

  /// The session, where it is in memory; one that the log has refused is loaded anew.
  var live: LiveSession? {
    guard case .live(let session) = state.withLock({ $0 }) else { return nil }
    guard !session.isInterrupted else {
      forget(session)
      return nil
    }
    return session
  }

  // MARK: Use

  func used(in sweep: UInt) {
    use.store(sweep, ordering: .relaxed)
  }

  /// The sweep during which the slot was asked for last.
  var lastUse: UInt {
    use.load(ordering: .relaxed)
  }

  /// Whether the slot's owner may drop it: nobody uses the session, and nothing runs in it.
  ///
  /// The session commits nothing from then on; the owner drops the slot and calls ``leave()``.
  func mayLeave() -> Bool {
    state.withLock { state in
      guard case .live(var session) = state else { return true }
      state = .unloaded  // so that the reference here does not count
      defer { state = .live(session) }
      return isKnownUniquelyReferenced(&session) && session.retire()
    }
  }

  /// Whether there is no session in memory.
  var isVacant: Bool { live == nil }

  /// Ends what was in memory.
  ///
  /// The log has everything.
  func leave() {
    live?.leave()
  }

  func open(
    for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live, intent == .use || intent == .ensure && live.isStored {
      return completion(.success(OpenedSession(session: live, wasCreated: false)))
    }
    changes.enter { [self] done in
      load(for: intent) { [self] result in
        completion(result)
        if live == nil { environment.vacancies.note(key.id) }
        done()
      }
    }
  }

  /// Whether anything is known of the session, in memory or in the log.
  func exists() throws(LogError) -> Bool {
    if live != nil { return true }
    return try log.record() != .none
  }

  /// Makes the session with another one's history up to a version.
  func fork(
    _ source: SessionKey, at version: Int,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    changes.enter { [self] done in
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
    changes.enter { [self] done in
      let session = live
      session?.willEnd()
      log.end { [self] result in
        switch result {
        case .success:
          state.withLock { $0 = .ended }
          session?.close(.deleted)
          completion(.success(()))
          environment.vacancies.note(key.id)
        case .failure(let error):
          session?.didNotEnd()
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
    do {
      switch try log.record() {
      case .stored(let stored):
        guard intent != .create else { return completion(.failure(.exists)) }
        try restore(stored, completion)
      case .ended:
        state.withLock { $0 = .ended }
        guard intent != .use else { return completion(.failure(.ended)) }
        create(for: intent, completion)
      case .none:
        guard intent == .use else { return create(for: intent, completion) }
        guard environment.settings.sessionCreation == .implicit else {
          return completion(.failure(.unknown))
        }
        let session = try begin(newSession(), blueprint.engine(), isStored: false)
        show(session)
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
    } catch {
      completion(.failure(.log(reported(error))))
    }
  }

  /// Says in the log why the session cannot be had; others are not affected.
  private func reported(_ error: any Error) -> LogError {
    let error = error as? LogError ?? .corrupt("\(error)")
    let fields: KeyValuePairs = [
      "reactor": key.reactor, "session": key.id, "error": "\(error)",
    ]
    switch error {
    case .corrupt, .unreadable: environment.logger.error("session cannot be read", fields)
    case .conflict, .full, .unavailable: break  // the store itself says so
    }
    return error
  }

  private func create(
    for intent: SessionIntent,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    let stored = newSession()
    log.create(epoch: stored.epoch) { [self] result in
      do throws(LogError) {
        try result.get()
        let session = try begin(stored, blueprint.engine())
        show(session)
        completion(.success(OpenedSession(session: session, wasCreated: true)))
      } catch {
        guard error == .conflict else { return completion(.failure(.log(error))) }
        joinOther(for: intent, completion)
      }
    }
  }

  /// Another writer was faster: it is that one's session now.
  private func joinOther(
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

  /// Stores a session that so far is in memory only.
  private func store(
    _ session: LiveSession,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    let opened = OpenedSession(session: session, wasCreated: false)
    guard !session.isStored else { return completion(.success(opened)) }
    log.create(epoch: session.epoch) { [log] result in
      switch result {
      case .success:
        session.wasStored()
        completion(.success(opened))
      case .failure(.conflict):
        // Its own first mutation may have been faster.
        if case .stored(let stored)? = try? log.record(), stored.epoch == session.epoch {
          completion(.success(opened))
        } else {
          completion(.failure(.log(.conflict)))
        }
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  private func newSession() -> StoredSession {
    StoredSession(epoch: Epoch.random(), version: 0, lastActiveAt: .now)
  }

  /// Brings a stored session to memory, with the effects that the end of a process has cut off.
  private func restore(
    _ stored: StoredSession,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) throws {
    let accepted = stored.isUnfinished ? try log.acceptedActions() : []
    let session = try fold(stored)
    let opened = OpenedSession(session: session, wasCreated: false)
    guard !accepted.isEmpty else {
      show(session)
      return completion(.success(opened))
    }
    // Nobody's action comes before those that were there first.
    session.resume(accepted, by: blueprint.interruptionPolicy) { [self] in
      if let fault = session.fault { return completion(.failure(.log(fault))) }
      show(session)
      completion(.success(opened))
    }
  }

  private func fold(_ stored: StoredSession) throws -> LiveSession {
    guard stored.version > 0 else { return try begin(stored, blueprint.engine()) }
    guard let restored = try blueprint.engine(folding: log, upTo: stored.version) else {
      throw LogError.corrupt("Some of the session's mutations are missing.")
    }
    let session = try begin(stored, restored.engine, snapshot: restored.snapshot)
    // What took long once need not take long again.
    if stored.version - restored.snapshot >= environment.settings.snapshotInterval {
      session.takeSnapshot()
    }
    return session
  }

  private func begin(
    _ stored: StoredSession, _ engine: any SessionEngine, isStored: Bool = true, snapshot: Int = 0
  ) throws(LogError) -> LiveSession {
    let session = LiveSession(
      key, schema: blueprint.schema, stored: stored, isStored: isStored, snapshot: snapshot,
      engine: engine, log: log, environment: environment)
    // Its very first state could not be told.
    if let fault = session.fault { throw fault }
    return session
  }

  /// Lets everyone have a session from now on.
  private func show(_ session: LiveSession) {
    state.withLock { $0 = .live(session) }
  }

  private func forget(_ session: LiveSession) {
    state.withLock { state in
      if case .live(let held) = state, held === session { state = .unloaded }
    }
  }
}
