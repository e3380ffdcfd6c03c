internal import Identity
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Telemetry

extension ReactorAPI {
  /// Records and logs a request that is denied.
  func recordDenial(of scope: RequestScope) {
    guard let resource = scope.resource, let right = resource.right(for: scope.method),
      let authentication = scope.credential.authentication
    else { return }
    let missing =
      scope.missingRight
      ?? Denials.MissingRight(right: right, target: target(of: resource, scope))
    denials.add(
      Denials.Denial(
        request: scope.context.id, time: .now, authentication: authentication, missing: missing))
    logger.log(
      LogLevel.info.within(scope.account), "access denied",
      fields: scope.logFields + [
        ("right", missing.right.name), ("on", missing.target.text ?? "service"),
        ("principal", authentication.principal?.id ?? "none"),
      ])
  }

  private func target(of resource: Resource, _ scope: RequestScope) -> Grants.Target {
    switch resource.reach {
    case .session: .session(reactor: scope["reactor"], id: scope["session"])
    case .reactor: .reactor(scope["reactor"])
    case .sessionsInQuery, .service, .anything, .credential: .service
    }
  }
}
