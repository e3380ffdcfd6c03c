public import ReactorCore
public import ReactorLog
public import ReactorStreams
public import Telemetry

/// The session of a reactor's instance, for `make` of its registration.
///
/// ```swift
/// ReactorRegistration("room", summary: "A chat room", parameters: RoomParameters.self) { context in
///   RoomReactor(id: context.session.id, title: context.parameters.title)
/// }
/// ```
///
/// A reactor may retain it. It has the same session and parameters for every instance of a session:
/// after a restart, and in folds of its log. So `initialState` may depend on them; it must depend on
/// nothing else.
public struct SessionContext<Parameters: Sendable>: Sendable {
  /// The session: the name of its reactor and its id.
  ///
  /// The instance of the catalogue, which shows its initial State, has the id `_`.
  public let session: SessionKey

  /// The parameters that the session was created with.
  public let parameters: Parameters

  /// Writes to the log of the host, with the session in each line.
  public let logger: Logger

  private let link: any SessionLink

  /// Creates a context.
  package init(
    session: SessionKey, parameters: Parameters, logger: Logger, link: any SessionLink
  ) {
    self.session = session
    self.parameters = parameters
    self.logger = logger
    self.link = link
  }

  /// The clients whose streams show the session: at the start of the subscription, and after changes.
  ///
  /// ```swift
  /// func transform(action: Observable<Action>) -> Observable<Action> {
  ///   .merge(action, context.subscribers.map(Action.setPresence))
  /// }
  /// ```
  ///
  /// Changes within 250 ms are one presence, so there are at most four per second; the first one
  /// arrives at most 250 ms after the subscription. Each arrives in a separate turn. Presence is
  /// not stored: a session that is loaded again receives the current one, so `mutate` must compare
  /// it with the State. A client that can send the action can forge it, unless `mutate` rejects it
  /// where `ActionOrigin.current` is not `.reactor`.
  ///
  /// Subscribe in a `transform` or an effect of the session's own reactor; elsewhere, and in a reactor
  /// that folds a log, the stream emits nothing.
  public var subscribers: Observable<Presence> {
    Observable { [session, link] observer in
      link.followSubscribers(of: session) { observer.on(.next($0)) }
    }
  }

  /// Returns a reference to a session of a reactor that this process hosts.
  ///
  /// If the reactor is not hosted under the name, or is of another type, the service does not start,
  /// unless this reactor's parameters are required and have no example. Otherwise sends fail.
  ///
  /// - Parameters:
  ///   - reactor: The type of the other session's reactor.
  ///   - name: The name under which the reactor is registered.
  ///   - id: The id of the other session.
  /// - Returns: The reference.
  public func session<R: Reactor>(
    _ reactor: R.Type, _ name: String, _ id: String
  ) -> SessionReference<R> {
    let key = SessionKey(reactor: name, id: id)
    link.declare(reactor, of: key, by: session)
    return SessionReference(key, from: session, through: link)
  }

  /// Returns a reference to a session by name, whose actions and States are JSON.
  ///
  /// - Parameters:
  ///   - name: The name under which the reactor is registered.
  ///   - id: The id of the other session.
  /// - Returns: The reference.
  public func session(named name: String, _ id: String) -> NamedSessionReference {
    NamedSessionReference(SessionKey(reactor: name, id: id), from: session, through: link)
  }
}

/// The parameters of a reactor that has none.
public struct NoParameters: Codable, Hashable, Sendable {
  /// Creates the value.
  public init() {}
}
