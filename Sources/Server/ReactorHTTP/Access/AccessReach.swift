/// The target that an endpoint's right must be granted for.
enum AccessReach: Sendable {
  /// No particular target: any credential suffices, or a rule that lets anonymous requests read
  /// sessions.
  case anything
  /// No particular target, but the request must have a credential.
  case credential
  /// The session in the path.
  case session
  /// At least one session of the reactor in the path; the handler checks each session.
  case reactor
  /// Each session in the query.
  case sessionsInQuery
  /// The service as a whole: a right that is limited to some sessions does not suffice.
  case service

  /// Derives the reach from the parameters of a path template.
  init(template: String) {
    self =
      template.contains("{session}")
      ? .session : template.contains("{reactor}") ? .reactor : .service
  }
}
