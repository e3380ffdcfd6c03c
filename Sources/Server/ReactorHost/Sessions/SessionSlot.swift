internal import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Shares
internal import Synchronization
internal import Telemetry

/// The entry of one session in its reactor's table, which loads the session with its first use.
///
/// Requests for a session that is being loaded wait in the slot, in order.
final class SessionSlot: Sendable {
  private enum State {
    case unloaded
    case live(LiveSession)
    case ended
  }

  private struct Contents {
    var state = State.unloaded
    /// The requests that wait while others load and use the session, or `nil` if none does.
    var waiting: [CheckedContinuation<Turn, Never>]?
    /// A loaded session that waits for the States of others, which may wait for its own.
    var offered: LiveSession?

    /// The session if it is in memory.
    var live: LiveSession? {
      if case .live(let session) = state { session } else { nil }
    }

    /// Removes the requests that wait; if there are none, the session is available from now on.
    mutating func takeWaiting() -> [CheckedContinuation<Turn, Never>]? {
      let requests = waiting.take() ?? []
      guard !requests.isEmpty else { return nil }
      waiting = []
      return requests
    }
  }

  /// How a request continues that has waited.
  private enum Turn: Sendable {
    /// The request loads the session.
    case load
    /// The request uses the session now, and then resumes the continuation.
    case use(any Session, CheckedContinuation<Void, Never>)
    case failure(SessionError)
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

  /// Opens the session, and calls a function with it before later requests get the session.
  ///
  /// Requests that load the session share one load, and use the session in their order.
  func open<Value: Sendable>(
    for intent: SessionIntent, parameters: [UInt8]?, _ use: (OpenedSession) -> Value
  ) async throws(SessionError) -> Value {
    if let session = available, parameters == nil,
      intent == .use || intent == .ensure && session.isStored
    {
      return use(OpenedSession(session: session, wasCreated: false))
    }
    guard intent == .use, parameters == nil else {
      return try await operate { () async throws(SessionError) in
        use(try await load(for: intent, parameters))
      }
    }
    switch await wait() {
    case .load:
      return try await operate { () async throws(SessionError) in try await loadForWaiting(use) }
    case .use(let session, let isUsed):
      defer { isUsed.resume() }
      return use(OpenedSession(session: session, wasCreated: false))
    case .failure(let error): throw error
    }
  }

  /// Waits for the turn of a request, which loads the session if no other one does.
  private func wait() async -> Turn {
    await withCheckedContinuation { continuation in
      let loads = contents.withLock { contents in
        contents.waiting?.append(continuation)
        if contents.waiting != nil { return false }
        contents.waiting = []
        return true
      }
      if loads { continuation.resume(returning: .load) }
    }
  }

  /// Loads the session, and resumes the requests that wait for it.
  ///
  /// Later requests get the session directly only after all of these have used it, so that the order of
  /// the requests is preserved. If the session could not be loaded, later requests load it again.
  private func loadForWaiting<Value: Sendable>(
    _ use: (OpenedSession) -> Value
  ) async throws(SessionError) -> Value {
    do throws(SessionError) {
      let session = try await load(for: .use, nil).session
      let value = use(OpenedSession(session: session, wasCreated: false))
      while let requests = contents.withLock({ $0.takeWaiting() }) {
        for request in requests {
          await withCheckedContinuation { request.resume(returning: .use(session, $0)) }
        }
      }
      return value
    } catch {
      let waiting = contents.withLock { $0.waiting.take() } ?? []
      for request in waiting { request.resume(returning: .failure(error)) }
      throw error
    }
  }

  /// Executes an operation after the earlier ones.
  private func operate<Value>(
    _ operation: () async throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    try await operations.execute { () async throws(SessionError) in
      defer { if isVacant { environment.evictable.insert(key.id) } }
      return try await operation()
    }
  }

  /// The maximum number of histories that are being copied, which clients share.
  static let forkLimit = 64

  /// Creates the session with the history of another one up to a version.
  func fork(
    _ source: SessionKey, at cursor: Cursor, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    let (account, ledger) = (Account.current, environment.settings.ledger)
    guard ledger.acquire(.forks, of: Self.forkLimit, for: account) else {
      throw .log(.beyondShare(of: Self.forkLimit, bound: "forks that are being copied"))
    }
    defer { ledger.release(.forks, of: account) }
    return try await operations.execute { () async throws(SessionError) in
      guard live == nil else { throw .exists }
      do throws(LogError) {
        try await environment.log.fork(
          source, at: cursor, to: key, epoch: Epoch.random(), parameters: parameters)
      } catch .lost {
        throw rejection(of: source, at: cursor)
      } catch {
        throw .log(error)
      }
      return OpenedSession(session: try await load(for: .use, nil).session, wasCreated: true)
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

  func end() async throws(SessionError) {
    try await operations.execute { () async throws(SessionError) in
      let session = live
      session?.beginEnding()
      do throws(LogError) {
        try await log.end()
      } catch {
        session?.cancelEnding()
        throw .log(error)
      }
      setEnded()
      session?.close(.deleted)
      environment.absent.find(key.id)?.end(.deleted)
      environment.failedEffects.remove(key.id)
      environment.blocked.removeAll(of: key.id)
      environment.settings.marking?.removeFromQuarantine(key)
      environment.evictable.insert(key.id)
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
