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
  private let changes = SerialQueue<@Sendable () -> Void>()

  init(_ key: SessionKey, blueprint: any Blueprint, environment: HostEnvironment) {
    self.key = key
    self.blueprint = blueprint
    self.environment = environment
    log = environment.log.session(key)
  }

  var live: LiveSession? {
    if case .live(let session) = state.withLock({ $0 }) { return session }
    return nil
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
  var canLeave: Bool {
    state.withLock { state in
      guard case .live(var session) = state else { return true }
      state = .unloaded  // so that the reference here does not count
      defer { state = .live(session) }
      return isKnownUniquelyReferenced(&session) && session.isIdle
    }
  }

  /// Ends what was in memory. The log has everything.
  func leave() {
    live?.leave()
  }

  func open(
    for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live, intent != .create {
      return completion(.success(OpenedSession(session: live, wasCreated: false)))
    }
    changes.post({ [self] in load(for: intent, completion: completion) }, handle: { $0() })
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
    changes.post(
      { [self] in
        guard live == nil else { return completion(.failure(.exists)) }
        environment.log.fork(source, at: version, to: key, epoch: Epoch.random()) { [self] result in
          switch result {
          case .success:
            load(for: .use) { result in
              completion(result.map { OpenedSession(session: $0.session, wasCreated: true) })
            }
          case .failure(.conflict): completion(.failure(.exists))
          case .failure(let error): completion(.failure(.log(error)))
          }
        }
      }, handle: { $0() })
  }

  func end(completion: @escaping @Sendable (Result<Void, SessionError>) -> Void) {
    changes.post(
      { [self] in
        log.end { [self] result in
          switch result {
          case .success:
            let session = live
            state.withLock { $0 = .ended }
            session?.close(.deleted)
            completion(.success(()))
          case .failure(let error): completion(.failure(.log(error)))
          }
        }
      }, handle: { $0() })
  }

  // MARK: Loading

  private func load(
    for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    if let live {
      return completion(
        intent == .create
          ? .failure(.exists) : .success(OpenedSession(session: live, wasCreated: false)))
    }
    do {
      switch try log.record() {
      case .stored(let stored):
        guard intent != .create else { return completion(.failure(.exists)) }
        completion(.success(OpenedSession(session: try restore(stored), wasCreated: false)))
      case .ended:
        state.withLock { $0 = .ended }
        guard intent != .use else { return completion(.failure(.ended)) }
        create(completion)
      case .none:
        guard intent == .use else { return create(completion) }
        guard environment.settings.sessionCreation == .implicit else {
          return completion(.failure(.unknown))
        }
        let session = begin(newSession(), blueprint.engine())
        completion(.success(OpenedSession(session: session, wasCreated: false)))
      }
    } catch let error as LogError {
      completion(.failure(.log(error)))
    } catch {
      completion(.failure(.log(.corrupt("\(error)"))))
    }
  }

  private func create(
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    let stored = newSession()
    log.create(epoch: stored.epoch) { [self] result in
      switch result {
      case .success:
        let session = begin(stored, blueprint.engine())
        completion(.success(OpenedSession(session: session, wasCreated: true)))
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  private func newSession() -> StoredSession {
    StoredSession(epoch: Epoch.random(), version: 0, lastActiveAt: .now)
  }

  private func restore(_ stored: StoredSession) throws -> LiveSession {
    guard stored.version > 0 else { return begin(stored, blueprint.engine()) }
    guard let engine = try blueprint.engine(folding: log, upTo: stored.version) else {
      throw LogError.corrupt("Some of the session's mutations are missing.")
    }
    return begin(stored, engine)
  }

  private func begin(_ stored: StoredSession, _ engine: any SessionEngine) -> LiveSession {
    let session = LiveSession(
      key, stored: stored, engine: engine, log: log, environment: environment,
      interrupted: { [weak self] session in self?.forget(session) })
    state.withLock { $0 = .live(session) }
    return session
  }

  /// The log refused the session: it is loaded anew with its next use.
  private func forget(_ session: LiveSession) {
    state.withLock { state in
      if case .live(let held) = state, held === session { state = .unloaded }
    }
  }
}
