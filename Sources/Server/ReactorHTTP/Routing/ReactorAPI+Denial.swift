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
    let target: Grants.Target =
      switch resource.reach {
      case .session: .session(reactor: scope["reactor"], id: scope["session"])
      case .reactor: .reactor(scope["reactor"])
      case .sessionsInQuery, .service, .anything, .credential: .service
      }
    denials.add(
      Denials.Denial(
        request: scope.context.id, time: .now, authentication: authentication, right: right,
        target: target))
    logger.log(
      LogLevel.info.within(scope.account), "access denied",
      fields: scope.logFields + [
        ("right", right.name), ("on", target.text ?? "service"),
        ("principal", authentication.principal?.id ?? "none"),
      ])
  }
}
