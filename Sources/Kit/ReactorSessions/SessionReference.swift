internal import ReactorCoding
public import ReactorCore
public import ReactorLog
public import ReactorStreams

/// Another session, for the effects and the streams of a reactor.
///
/// ```swift
/// ReactorRegistration("auction", summary: "An auction") { context in
///   AuctionReactor(lobby: context.session(LobbyReactor.self, "lobby", "main"))
/// }
/// ```
///
/// An effect can send actions to the session and observe its State; `reduce` must do neither.
public struct SessionReference<R: Reactor>: Sendable where R.Action: Codable, R.State: Codable {
  /// The session.
  public let session: SessionKey

  private let sender: SessionKey
  private let link: any SessionLink
  /// The JSON of recurring actions.
  private let texts: JSONMemo<R.Action>?

  /// Creates a reference that sends through a link.
  package init(_ session: SessionKey, from sender: SessionKey, through link: any SessionLink) {
    self.session = session
    self.sender = sender
    self.link = link
    texts = link.texts(of: R.Action.self)
  }

  /// Returns a stream that sends an action when it is subscribed to, and emits the resulting State.
  ///
  /// A send of an effect is delivered when all earlier changes of its session are committed. It
  /// does not block the sender's queue. Sends of one session to another arrive in the order of
  /// their subscription.
  ///
  /// **Exactly once.** If the effect runs again after a crash, its sends have the same idempotency
  /// keys as before, so the other session executes each once and repeats its response. This
  /// requires that the other session still retains the keys (`actions.idempotency`), and that the
  /// effect makes its sends to a session in the same order. A send in a stream of `transform`, or
  /// in an effect of an action that the reactor itself created, happens at most once.
  ///
  /// The stream fails with the error of the action, or with a ``SessionSendError``. In a chain of
  /// sends, in which the action of each send causes the next one, the 33rd fails with
  /// ``SessionSendError/tooDeep(_:)``.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expectation: How long to wait.
  /// - Returns: The stream: one State, or none for `.accepted`.
  public func send(
    _ action: R.Action, expecting expectation: SendExpectation = .effects
  ) -> Observable<R.State> {
    deliver(action, expecting: expectation).map { try Self.state($0) }
  }

  /// Returns a stream without elements, of any type, that sends an action as ``send(_:expecting:)``
  /// does.
  ///
  /// ```swift
  /// case .open:
  ///   return .concat(.just(.opened), lobby.sendOnly(.list(id: id)), .just(.listed))
  /// ```
  ///
  /// It completes when the mutations of the action's own turn are committed, like a send that expects
  /// ``SendExpectation/accepted``, and fails with the same errors.
  ///
  /// - Parameter action: The action.
  /// - Returns: The stream.
  public func sendOnly<Element: Sendable>(_ action: R.Action) -> Observable<Element> {
    deliver(action, expecting: .accepted).withoutElements()
  }

  private func deliver(
    _ action: R.Action, expecting expectation: SendExpectation
  ) -> Observable<[UInt8]> {
    .deferred { [self] in
      link.send(try json(of: action), to: session, from: sender, expecting: expectation)
    }
  }

  private func json(of action: R.Action) throws -> [UInt8] {
    do {
      return try texts?.text(of: action, orEncode: { try JSONCoder.encode($0) })
        ?? JSONCoder.encode(action)
    } catch is PrivateValueError {
      return try PrivateValues.included { try JSONCoder.encode(action) }
    }
  }

  /// The State: the current one, then the latest after each commit.
  ///
  /// Intermediate States can be skipped. In a reactor's `transform(mutation:)` each State arrives
  /// in a separate turn, like the value of a global. A loaded reactor receives the current one again;
  /// the mutation that it causes is stored once.
  ///
  /// The stream creates the session unless `sessions.create` is `explicit`. It fails with
  /// ``SessionSendError/ended(_:)`` when the session is deleted.
  public var state: Observable<R.State> {
    Observable { [session, link] observer in
      link.follow(session) { result in
        switch result.flatMap({ json in Result { try Self.state(json) } }) {
        case .success(let state): observer.on(.next(state))
        case .failure(let error): observer.on(.error(error))
        }
      }
    }
  }

  private static func state(_ json: [UInt8]) throws -> R.State {
    try JSONCoder.decode(R.State.self, from: json)
  }
}

/// A reference to another session by name, whose actions and States are JSON.
///
/// Like ``SessionReference``, for a reactor whose types are not available in this module.
public struct NamedSessionReference: Sendable {
  /// The session.
  public let session: SessionKey

  private let sender: SessionKey
  private let link: any SessionLink

  /// Creates a reference that sends through a link.
  package init(_ session: SessionKey, from sender: SessionKey, through link: any SessionLink) {
    self.session = session
    self.sender = sender
    self.link = link
  }

  /// Returns a stream that sends an action when it is subscribed to, see
  /// ``SessionReference/send(_:expecting:)``.
  ///
  /// - Parameters:
  ///   - action: The action, or an array of actions, as JSON.
  ///   - expectation: How long to wait.
  /// - Returns: The stream: one State as JSON, or none for `.accepted`.
  public func send(
    _ action: String, expecting expectation: SendExpectation = .effects
  ) -> Observable<String> {
    link.send(Array(action.utf8), to: session, from: sender, expecting: expectation)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a stream without elements that sends an action, see ``SessionReference/sendOnly(_:)``.
  ///
  /// - Parameter action: The action, or an array of actions, as JSON.
  /// - Returns: The stream.
  public func sendOnly<Element: Sendable>(_ action: String) -> Observable<Element> {
    link.send(Array(action.utf8), to: session, from: sender, expecting: .accepted)
      .withoutElements()
  }

  /// The State as JSON, see ``SessionReference/state``.
  public var state: Observable<String> {
    Observable { [session, link] observer in
      link.follow(session) { result in
        switch result {
        case .success(let json): observer.on(.next(String(decoding: json, as: UTF8.self)))
        case .failure(let error): observer.on(.error(error))
        }
      }
    }
  }
}
