extension Problem {
  /// The session was deleted.
  package static let sessionEnded = Problem(
    .sessionEnded, "The session has ended", "Begin a new one, or open another session.")

  /// The stream ended without an error.
  static let closed = Problem(
    .unreachable, "The server closed the connection", "It is resumed shortly.")

  /// The response is not an event stream.
  static let noEventStream = Problem(
    .notAServer, "The address responds, but not with an event stream",
    "Check that the URL is that of a reactord and that no proxy replaces its responses.")

  /// An event exceeds the parser's bound.
  static let largeEvent = malformedEvent("An event has more than 64 MiB.")

  /// An event cannot be read.
  static func malformedEvent(_ detail: String) -> Problem {
    Problem(
      .malformedEvent, "The stream is malformed",
      "\(detail) The State is requested again; a proxy that changes responses can cause this.")
  }

  /// There was no heartbeat for a time.
  static func silent(_ time: Duration) -> Problem {
    Problem(
      .unreachable, "The connection is silent",
      "There was no heartbeat for \(time.components.seconds) seconds; it is opened again.")
  }
}
