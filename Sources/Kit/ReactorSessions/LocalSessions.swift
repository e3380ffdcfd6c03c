public import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Synchronization
public import Telemetry

/// The sessions of reactors in an app: the local form of a host, for reactors that send to each other.
///
/// A reactor that takes a ``SessionContext`` works without a change in a service and in an app:
///
/// ```swift
/// let sessions = LocalSessions()
/// sessions.register("lobby") { _ in LobbyReactor() }
/// let auction = AuctionReactor(sessions.context("auction", "lamp", parameters: .init(item: "A lamp")))
/// sessions.add(auction, as: "auction", "lamp")
/// auction.action.onNext(.open)    // sends to the lobby
/// ```
///
/// Sends have the order, the errors and the limits of hosted sessions: a send leaves when the turn of its
/// session is done, and a chain of more than 32 fails. Actions and States pass as JSON. Nothing is stored: a
/// send is delivered at most once, and while the app runs; a session that was removed can exist again.
///
/// Retain the object as long as its sessions: they end when it is released. All methods may be called on any
/// thread.
public final class LocalSessions: Sendable {
  private struct State {
    var sessions: [SessionKey: LocalSession] = [:]
    var reactors: [String: @Sendable (LocalSessions, SessionKey) -> LocalSession] = [:]
    var presences: [SessionKey: Presence] = [:]
    var followers: [Int: (session: SessionKey, receive: @Sendable (Presence) -> Void)] = [:]
    var lastFollower = 0
  }

  private let state = Mutex(State())
  private let wait: Duration
  private let logger: Logger

  /// Creates an object without sessions.
  ///
  /// - Parameters:
  ///   - wait: The maximum time that a send waits for effects, `actions.wait` of a service.
  ///   - logger: The logger of the contexts.
  public init(wait: Duration = .seconds(5), logger: Logger = .silent) {
    self.wait = wait
    self.logger = logger
  }

  deinit {
    for session in state.withLock({ $0.sessions }).values { session.remove() }
  }

  /// Returns the context of a session with parameters, for the initializer of its reactor.
  public func context<Parameters>(
    _ reactor: String, _ id: String, parameters: Parameters
  ) -> SessionContext<Parameters> {
    SessionContext(
      session: SessionKey(reactor: reactor, id: id), parameters: parameters,
      logger: logger.adding(["reactor": reactor, "session": id]), link: LocalLink(sessions: self))
  }

  /// Returns the context of a session without parameters, for the initializer of its reactor.
  public func context(_ reactor: String, _ id: String) -> SessionContext<NoParameters> {
    context(reactor, id, parameters: NoParameters())
  }

  /// Registers a reactor: a send to a session that does not exist, or its first observer, creates the session.
  ///
  /// - Parameters:
  ///   - name: The name under which a service would host it.
  ///   - make: Creates an instance, on any thread. Two threads can create one for the same session; the
  ///     other instance is not connected.
  public func register<R: Reactor>(
    _ name: String, make: @escaping @Sendable (SessionContext<NoParameters>) -> R
  ) where R.Action: Codable, R.State: Codable {
    state.withLock { state in
      state.reactors[name] = { sessions, key in
        LocalSession(make(sessions.context(key.reactor, key.id)), as: key)
      }
    }
  }

  /// Adds a session, in place of one with the same name, and retains its reactor.
  ///
  /// - Parameters:
  ///   - reactor: The reactor; its streams are connected.
  ///   - name: The name under which a service would host it.
  ///   - id: The id of the session.
  public func add<R: Reactor>(_ reactor: R, as name: String, _ id: String)
  where R.Action: Codable, R.State: Codable {
    let session = LocalSession(reactor, as: SessionKey(reactor: name, id: id))
    state.withLock { $0.sessions.updateValue(session, forKey: session.key) }?.remove()
    session.connect()
  }

  /// Ends a session: its reactor, its effects, and the sends and observers of other sessions, with
  /// ``SessionSendError/ended(_:)``.
  public func remove(_ reactor: String, _ id: String) {
    let key = SessionKey(reactor: reactor, id: id)
    state.withLock { $0.sessions.removeValue(forKey: key) }?.remove()
  }

  /// Sets the subscribers of a session, which ``SessionContext/subscribers`` emits; without a call it
  /// emits nothing.
  public func set(subscribers presence: Presence, of reactor: String, _ id: String) {
    let session = SessionKey(reactor: reactor, id: id)
    let followers = state.withLock { state in
      state.presences[session] = presence
      return state.followers.filter { $0.value.session == session }
    }
    for (_, follower) in followers.sorted(by: { $0.key < $1.key }) { follower.receive(presence) }
  }

  fileprivate func send(
    _ json: [UInt8], to key: SessionKey, from sender: SessionKey,
    _ expectation: SendExpectation, _ observer: any ObserverType<[UInt8]>
  ) {
    let cause = RunningEffectContext.current?.request ?? RequestContext.current
    let request = cause.sending(to: key, from: sender)
    guard request.depth <= SessionSendError.depthLimit else {
      return observer.on(.error(SessionSendError.tooDeep(key)))
    }
    let deliver: @Sendable () -> Void = { [self] in
      do throws(SessionSendError) {
        let session = try session(key)
        session.send(json, for: request, expecting: expectation, atMost: wait, observer)
      } catch {
        observer.on(.error(error))
      }
    }
    // After the turn of the sender, as a host sends after the commit.
    if let sender = state.withLock({ $0.sessions[sender] }) {
      sender.pipeline.enqueue(deliver)
    } else {
      deliver()
    }
  }

  fileprivate func states(of key: SessionKey) -> Observable<[UInt8]> {
    do throws(SessionSendError) {
      return try session(key).states
    } catch {
      return .error(error)
    }
  }

  fileprivate func followSubscribers(
    of session: SessionKey, _ receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable {
    let (id, presence) = state.withLock { state in
      state.lastFollower += 1
      state.followers[state.lastFollower] = (session, receive)
      return (state.lastFollower, state.presences[session])
    }
    if let presence { receive(presence) }
    // The reactor retains it.
    return Disposables.create { [weak self] in
      self?.state.withLock { $0.followers[id] = nil }
    }
  }

  /// Returns a session, and creates it if its reactor is registered.
  ///
  /// - Throws: The error of the reactor's name, then that of the id, as a host does.
  private func session(_ key: SessionKey) throws(SessionSendError) -> LocalSession {
    let (known, make, isReactor) = state.withLock { state in
      let make = state.reactors[key.reactor]
      let isReactor = make != nil || state.sessions.keys.contains { $0.reactor == key.reactor }
      return (state.sessions[key], make, isReactor)
    }
    guard isReactor else { throw .unknownReactor(key) }
    guard SessionKey.isValid(id: key.id) else { throw .invalidID(key) }
    if let known { return known }
    guard let make else { throw .unknownSession(key) }
    let made = make(self, key)
    let session = state.withLock { state in
      let session = state.sessions[key] ?? made
      state.sessions[key] = session
      return session
    }
    if session === made { session.connect() } else { made.remove() }
    return session
  }
}

/// The link from the context of a session to the other sessions of the app.
private struct LocalLink: SessionLink {
  /// Not retained, because it retains the reactors.
  weak let sessions: LocalSessions?

  func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation
  ) -> Observable<[UInt8]> {
    Observable { observer in
      if let sessions {
        sessions.send(action, to: session, from: sender, expectation, observer)
      } else {
        observer.on(.error(SessionSendError.ended(session)))
      }
      return Disposables.create()
    }
  }

  func follow(
    _ session: SessionKey, receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) -> any Disposable {
    let states = sessions?.states(of: session) ?? .error(SessionSendError.ended(session))
    return states.subscribe(
      onNext: { receive(.success($0)) }, onError: { receive(.failure($0)) })
  }

  func followSubscribers(
    of session: SessionKey, receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable {
    sessions?.followSubscribers(of: session, receive) ?? Disposables.create()
  }

  func declare(_ type: any Any.Type, of session: SessionKey, by sender: SessionKey) {}
}
