internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
public import ReactorSessions
internal import ReactorStreams
internal import Synchronization
internal import Telemetry

/// The other sessions of a reactor under test.
///
/// The test reads the actions that the reactor sends to them, and sets their States.
///
/// ```swift
/// let sessions = TestSessions()
/// sessions.set(LobbyReactor.State(), of: "lobby", "main")
/// let test = ReactorTest(
///   AuctionReactor(sessions.context("auction", "lamp", parameters: .init(item: "A lamp"))))
/// await test.send(.open) { $0.phase = .open }
/// #expect(sessions.sends == [.init("lobby/main", #"{"list":{"id":"lamp"}}"#)])
/// ```
///
/// A send emits the State of its session immediately. If the test has not set the State yet, the
/// send waits for it.
public final class TestSessions: Sendable {
  /// An action that the reactor has sent.
  public struct Send: Equatable, Sendable, CustomStringConvertible {
    /// The other session, as `reactor/id`.
    public let session: String

    /// The action, as JSON.
    public let action: String

    /// Creates a send.
    public init(_ session: String, _ action: String) {
      self.session = session
      self.action = action
    }

    /// The session and the action.
    public var description: String { "\(session) \(action)" }
  }

  fileprivate typealias Receiver = @Sendable (Result<[UInt8], any Error>) -> Void
  fileprivate typealias PresenceReceiver = @Sendable (Presence) -> Void

  private struct State {
    var sends: [Send] = []
    var results: [SessionKey: Result<[UInt8], any Error>] = [:]
    var lastID = 0
    var waiting: [Int: (session: SessionKey, receive: Receiver)] = [:]
    var followers: [Int: (session: SessionKey, receive: Receiver)] = [:]
    var presences: [SessionKey: Presence] = [:]
    var presenceFollowers: [Int: (session: SessionKey, receive: PresenceReceiver)] = [:]

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }

    /// The result of sends to a session and of its observers, or `nil` before the test has set it.
    func result(of session: SessionKey) -> Result<[UInt8], any Error>? {
      SessionKey.isValid(id: session.id)
        ? results[session] : .failure(SessionSendError.invalidID(session))
    }
  }

  private let state = Mutex(State())

  /// Creates sessions without States.
  public init() {}

  /// The actions that were sent, in order.
  public var sends: [Send] { state.withLock { $0.sends } }

  /// Returns the context of a session with parameters.
  public func context<Parameters>(
    _ reactor: String, _ id: String, parameters: Parameters
  ) -> SessionContext<Parameters> {
    SessionContext(
      session: SessionKey(reactor: reactor, id: id), parameters: parameters, logger: .silent,
      link: TestLink(sessions: self))
  }

  /// Returns the context of a session without parameters.
  public func context(_ reactor: String, _ id: String) -> SessionContext<NoParameters> {
    context(reactor, id, parameters: NoParameters())
  }

  /// Sets the State of a session.
  ///
  /// Waiting sends to the session and the observers of its State emit it.
  ///
  /// - Throws: If the State cannot be encoded as JSON.
  public func set(_ value: some Encodable, of reactor: String, _ id: String) throws {
    publish(.success(try JSONCoder.encode(value)), of: SessionKey(reactor: reactor, id: id))
  }

  /// Fails waiting and later sends to a session, and the streams of its States.
  public func fail(_ reactor: String, _ id: String, with error: any Error) {
    publish(.failure(error), of: SessionKey(reactor: reactor, id: id))
  }

  /// Sets the subscribers of a session, which the `subscribers` stream of its context emits.
  public func set(subscribers presence: Presence, of reactor: String, _ id: String) {
    let session = SessionKey(reactor: reactor, id: id)
    let followers = state.withLock { state in
      state.presences[session] = presence
      return state.presenceFollowers.filter { $0.value.session == session }
    }
    for (_, follower) in followers.sorted(by: { $0.key < $1.key }) { follower.receive(presence) }
  }

  private func publish(_ result: Result<[UInt8], any Error>, of session: SessionKey) {
    let receivers = state.withLock { state in
      state.results[session] = result
      let waiting = state.waiting.filter { $0.value.session == session }
      for id in waiting.keys { state.waiting[id] = nil }
      let followers = state.followers.filter { $0.value.session == session }
      return (Array(waiting) + Array(followers)).sorted { $0.key < $1.key }.map(\.value.receive)
    }
    for receive in receivers { receive(result) }
  }

  fileprivate func send(
    _ action: [UInt8], to session: SessionKey, _ receive: @escaping Receiver
  ) -> any Disposable {
    let (id, result) = state.withLock { state in
      state.sends.append(Send("\(session)", String(decoding: action, as: UTF8.self)))
      let id = state.nextID()
      let result = state.result(of: session)
      if result == nil { state.waiting[id] = (session, receive) }
      return (id, result)
    }
    if let result { receive(result) }
    return Disposables.create { [self] in state.withLock { $0.waiting[id] = nil } }
  }

  fileprivate func follow(
    _ session: SessionKey, _ receive: @escaping Receiver
  ) -> any Disposable {
    let (id, result) = state.withLock { state in
      let id = state.nextID()
      state.followers[id] = (session, receive)
      return (id, state.result(of: session))
    }
    if let result { receive(result) }
    return Disposables.create { [self] in state.withLock { $0.followers[id] = nil } }
  }
}

extension TestSessions {
  fileprivate func followSubscribers(
    of session: SessionKey, _ receive: @escaping PresenceReceiver
  ) -> any Disposable {
    let (id, presence) = state.withLock { state in
      let id = state.nextID()
      state.presenceFollowers[id] = (session, receive)
      return (id, state.presences[session])
    }
    if let presence { receive(presence) }
    return Disposables.create { [self] in state.withLock { $0.presenceFollowers[id] = nil } }
  }
}

/// The link from the context of a session to the sessions of the test.
private struct TestLink: SessionLink {
  let sessions: TestSessions

  func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation
  ) -> Observable<[UInt8]> {
    Observable { observer in
      sessions.send(action, to: session) { observer.receive($0, for: expectation) }
    }
  }

  func follow(
    _ session: SessionKey, receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) -> any Disposable {
    sessions.follow(session, receive)
  }

  func followSubscribers(
    of session: SessionKey, receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable {
    sessions.followSubscribers(of: session, receive)
  }

  func declare(_ type: any Any.Type, of session: SessionKey, by sender: SessionKey) {}
}
