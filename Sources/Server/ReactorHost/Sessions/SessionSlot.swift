internal import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Shares
internal import Synchronization
internal import Telemetry

/// The entry of one session in its reactor's table, which loads the session with its first use.
///
/// Requests for a session that is being loaded wait in the slot, in order. They do not block a
/// thread.
final class SessionSlot: Sendable {
  typealias Opening = @Sendable (Result<OpenedSession, SessionError>) -> Void

  private enum State {
    case unloaded
    case live(LiveSession)
    case ended
  }

  private struct Contents {
    var state = State.unloaded
    /// The requests that wait while another request loads the session, or `nil` if none loads it.
    var waiting: [Opening]?
    /// A loaded session that waits for the States of others, which may wait for its own.
    var offered: LiveSession?

    /// The session if it is in memory.
    var live: LiveSession? {
      if case .live(let session) = state { session } else { nil }
    }

    /// Adds a request for the session.
    ///
    /// - Returns: Whether it has to load the session, since no other request does.
    mutating func wait(_ opening: @escaping Opening) -> Bool {
      if waiting != nil {
        waiting?.append(opening)
        return false
      }
      waiting = []
      return true
    }

    /// Removes the requests that wait; if there are none, the session is available from now on.
    mutating func takeWaiting() -> [Opening]? {
      guard let openings = waiting, !openings.isEmpty else {
        waiting = nil
        return nil
      }
      waiting = []
      return openings
    }
  }

  let key: SessionKey
  /// The account that has the session in memory, or `nil` for none.
  let account: Account?
  let environment: ReactorEnvironment
  let log: any SessionLog
  private let contents = Mutex(Contents())
  private let use = Atomic<UInt>(0)
  /// Loads, creates and ends the session, one at a time.
  private let operations = SerialAsyncQueue()

  init(_ key: SessionKey, of account: Account? = nil, environment: ReactorEnvironment) {
    self.key = key
    self.account = account
    self.environment = environment
    log = environment.log.session(key)
  }

  /// The session if it is in memory; `nil` also if the log has interrupted it, so that it is loaded
  /// again.
  var live: LiveSession? {
    guard let session = contents.withLock({ $0.live }), isUsable(session) else { return nil }
    return session
  }

  /// The session if it is in memory, or is about to be.
  var observable: LiveSession? {
    live ?? contents.withLock { $0.offered }
  }

  /// The session if it is in memory and no earlier request waits for it.
  var available: LiveSession? {
    guard let session = contents.withLock({ $0.waiting == nil ? $0.live : nil }),
      isUsable(session)
    else { return nil }
    return session
  }

  /// Returns whether the session can be used; removes a session that the log has interrupted, so
  /// that it is loaded again.
  private func isUsable(_ session: LiveSession) -> Bool {
    guard session.isInterrupted else { return true }
    forget(session)
    return false
  }

  // MARK: Use

  /// Records a use for ``lastUse``.
  func didUse(in sweep: UInt) {
    use.store(sweep, ordering: .relaxed)
  }

  /// The number of the latest sweep before the last use.
  var lastUse: UInt {
    use.load(ordering: .relaxed)
  }

  /// Ends the session to evict the slot, unless the session is in use.
  ///
  /// The table removes the slot then and calls ``shutDown()``.
  ///
  /// - Returns: Whether the slot can be removed.
  func evict() -> Bool {
    contents.withLock { contents in
      guard case .live(var session) = contents.state else { return true }
      contents.state = .unloaded  // so that `session` is the only reference
      defer { contents.state = .live(session) }
      return isKnownUniquelyReferenced(&session) && session.evict()
    }
  }

  /// Whether there is no session in memory.
  var isVacant: Bool { live == nil }

  /// Ends the reactor of an evicted session.
  func shutDown() {
    live?.pipeline.shutDown()
  }

  // MARK: Operations

  func open(
    for intent: SessionIntent, parameters: [UInt8]?, completion: @escaping Opening
  ) {
    if let session = available, parameters == nil,
      intent == .use || intent == .ensure && session.isStored
    {
      return completion(.success(OpenedSession(session: session, wasCreated: false)))
    }
    let isPlain = intent == .use && parameters == nil
    guard !isPlain || contents.withLock({ $0.wait(completion) }) else { return }
    operations.enqueue { [self] done in
      load(for: intent, parameters) { [self] result in
        if isPlain { didLoad(result, completion) } else { completion(result) }
        if isVacant { environment.evictable.insert(key.id) }
        done()
      }
    }
  }

  /// Responds to the request that has loaded the session, and to those that waited for it.
  ///
  /// Later requests get the session directly only after all of these have it, so that the order of
  /// the requests is preserved. If the session could not be loaded, later requests load it again.
  private func didLoad(
    _ result: Result<OpenedSession, SessionError>, _ first: Opening
  ) {
    guard case .success = result else {
      let waiting = contents.withLock { $0.waiting.take() } ?? []
      first(result)
      return waiting.forEach { $0(result) }
    }
    first(result)
    while let waiting = contents.withLock({ $0.takeWaiting() }) {
      for opening in waiting { opening(result) }
    }
  }

  /// Checks whether the session is in memory or in the log.
  func exists() throws(LogError) -> Bool {
    if live != nil { return true }
    return try log.record() != .none
  }

  /// The maximum number of histories that are being copied, which clients share.
  static let forkLimit = 64

  /// Creates the session with the history of another one up to a version.
  func fork(
    _ source: SessionKey, at cursor: Cursor, parameters: [UInt8]?,
    _ completion: @escaping Opening
  ) {
    let (owner, account) = (WorkOwner.current, Account.current)
    let ledger = environment.settings.ledger
    guard ledger.acquire(.forks, of: Self.forkLimit, for: account) else {
      return completion(
        .failure(.log(.beyondShare(of: Self.forkLimit, bound: "forks that are being copied"))))
    }
    operations.enqueue { [self] done in
      @Sendable func finish(_ result: Result<OpenedSession, SessionError>) {
        ledger.release(.forks, of: account)
        completion(result)
        done()
      }
      guard live == nil else { return finish(.failure(.exists)) }
      environment.log.fork(
        source, at: cursor, to: key, epoch: Epoch.random(), parameters: parameters
      ) { [self] result in
        switch result {
        case .success:
          @Sendable func loadFork() {
            load(for: .use, nil) { result in
              finish(result.map { OpenedSession(session: $0.session, wasCreated: true) })
            }
          }
          // The thread that completes commits neither reads nor folds.
          guard environment.log.readsFromDisk else { return loadFork() }
          environment.background.enqueue(for: owner) { loadFork() }
        case .failure(.lost): finish(.failure(rejection(of: source, at: cursor)))
        case .failure(let error): finish(.failure(.log(error)))
        }
      }
    }
  }

  /// Returns why the log has not created a fork.
  private func rejection(of source: SessionKey, at cursor: Cursor) -> SessionError {
    do throws(LogError) {
      if case .stored = try log.record() { return .exists }
      switch try environment.log.session(source).record() {
      case .ended: return .ended
      case .none: return .unknown
      // Another session with the id has begun.
      case .stored(let stored) where stored.epoch != cursor.epoch: return .ended
      // Retention has deleted the version.
      case .stored:
        return .log(.unavailable("The log of the other session has changed during the fork."))
      }
    } catch {
      return .log(error)
    }
  }

  func end(completion: @escaping @Sendable (Result<Void, SessionError>) -> Void) {
    operations.enqueue { [self] done in
      let session = live
      session?.beginEnding()
      log.end { [self] result in
        switch result {
        case .success:
          setEnded()
          session?.close(.deleted)
          environment.absent.find(key.id)?.end(.deleted)
          environment.failedEffects.remove(key.id)
          environment.blocked.removeAll(of: key.id)
          environment.settings.marking?.removeFromQuarantine(key)
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

  // MARK: State

  /// Returns the session to the followers of its State.
  func offer(_ session: LiveSession?) {
    contents.withLock { $0.offered = session }
  }

  /// Returns the session to every caller from now on.
  func publish(_ session: LiveSession) {
    contents.withLock { $0.state = .live(session) }
    environment.blocked.remove(.init(kind: .session), of: key.id)
    environment.absent.find(key.id)?.attach(session)
  }

  /// Records that the log has the end of the session.
  func setEnded() {
    contents.withLock { $0.state = .ended }
  }

  private func forget(_ session: LiveSession) {
    contents.withLock { contents in
      if case .live(let held) = contents.state, held === session { contents.state = .unloaded }
    }
  }
}
