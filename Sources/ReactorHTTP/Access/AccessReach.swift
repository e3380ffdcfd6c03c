/// The target that an endpoint's right must be granted for.
enum AccessReach: Sendable {
  /// Anything: a credential suffices, or a rule that grants anonymous requests something.
  case anything
  /// Anything, with a credential.
  case credential
  /// The session in the path.
  case session
  /// At least one session of the reactor in the path; the handler checks each session.
  case reactor
  /// Each session in the query.
  case sessionsInQuery
  /// The service as a whole: a right that is limited to some sessions does not suffice.
  case service

  /// The reach of a path template by its parameters.
  init(template: String) {
    self =
      template.contains("{session}")
      ? .session : template.contains("{reactor}") ? .reactor : .service
  }
}
