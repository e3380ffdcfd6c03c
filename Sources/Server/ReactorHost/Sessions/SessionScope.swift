internal import ReactorLog
public import ReactorSessions
internal import Telemetry

extension SessionContext {
  /// Creates the context of an instance.
  @usableFromInline
  init(_ scope: SessionScope, parameters: Parameters) {
    self.init(
      session: scope.key, parameters: parameters,
      logger: scope.logger.adding(["reactor": scope.key.reactor, "session": scope.key.id]),
      link: scope.link)
  }
}

/// The properties of a session that its reactor's instances need.
@usableFromInline
struct SessionScope: Sendable {
  /// The id of the instance in the catalogue.
  static let catalogueID = "_"

  let key: SessionKey
  /// The parameters, as JSON, or `nil` for none.
  let parameters: [UInt8]?
  let logger: Logger
  let link: any SessionLink

  init(_ key: SessionKey, parameters: [UInt8]?, logger: Logger, link: any SessionLink) {
    self.link = link
    self.key = key
    self.parameters = parameters
    self.logger = logger
  }

  /// Whether the session is the one of the catalogue.
  var isOfCatalogue: Bool { key.id == Self.catalogueID }
}
