public import ReactorLog
public import Telemetry

/// The session of a reactor's instance, for `make` of its registration.
///
/// ```swift
/// ReactorRegistration("room", summary: "A chat room") { context in
///   RoomReactor(id: context.session.id)
/// }
/// ```
///
/// A reactor may retain it. It has the same session and parameters for every instance of a session:
/// after a restart, and in folds of its log. So `initialState` may depend on them; it must depend on
/// nothing else.
public struct SessionContext<Parameters: Sendable>: Sendable {
  /// The session: the name of its reactor and its id.
  ///
  /// The instance of the catalogue, whose initial State is shown there, has the id `_`.
  public let session: SessionKey

  /// The parameters that the session was created with.
  public let parameters: Parameters

  /// Writes to the log of the host, with the session in each line.
  public let logger: Logger

  /// Creates a context.
  package init(session: SessionKey, parameters: Parameters, logger: Logger) {
    self.session = session
    self.parameters = parameters
    self.logger = logger
  }
}

extension SessionContext {
  /// Creates the context of an instance.
  @usableFromInline
  init(_ scope: SessionScope, parameters: Parameters) {
    self.init(
      session: scope.key, parameters: parameters,
      logger: scope.logger.adding(["reactor": scope.key.reactor, "session": scope.key.id]))
  }
}

/// The parameters of a reactor that has none.
public struct NoParameters: Codable, Hashable, Sendable {
  /// Creates the value.
  public init() {}
}

/// A session as code sees it that creates instances of its reactor.
@usableFromInline
struct SessionScope: Sendable {
  /// The id of the instance in the catalogue.
  static let catalogueID = "_"

  let key: SessionKey
  let logger: Logger

  init(_ key: SessionKey, logger: Logger) {
    self.key = key
    self.logger = logger
  }
}
