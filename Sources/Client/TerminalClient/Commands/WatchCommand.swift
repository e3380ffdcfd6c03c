internal import ClientCore
internal import Glibc

/// `reactord watch URL`: prints a session's State and each change until the session ends.
public struct WatchCommand: Equatable, Sendable {
  let session: SessionURL

  /// Whether to print each State as one line of JSON instead of its changes.
  let isJSON: Bool

  /// The fields of its requests.
  let fields: RequestFields

  /// Creates the command.
  package init(session: SessionURL, isJSON: Bool, fields: RequestFields) {
    self.session = session
    self.fields = fields
    self.isJSON = isJSON
  }

  /// Prints changes until the session ends, and reconnects when the connection is lost.
  ///
  /// - Throws: A failure if the session cannot be watched or standard output cannot be written.
  package func execute() throws(CommandFailure) {
    let isColoured = unsafe isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    var watched = WatchedSession(session.name, isJSON: isJSON, isColoured: isColoured)
    var connection = ConnectionReport()
    let runner = StreamRunner(StreamMachine(capacity: 1), to: session.origin, adding: fields) {
      (machine, output) throws(CommandFailure) in
      switch output {
      case .update(_, .ended(let problem))
      where !watched.hasBegun || problem.kind != .sessionEnded:
        throw .rejected(
          problem.kind == .sessionEnded ? "the session has ended" : problem.description)
      case .update(_, let update): try watched.apply(update)
      case .status(let status):
        try connection.changed(status, hasBegun: watched.hasBegun)
      case .check: return try check(&machine, hasBegun: watched.hasBegun)
      // There is no `overflow` of one session, and the runner executes the other outputs.
      case .overflow, .open, .close, .renewToken, .replaceCredential: break
      }
      return []
    }
    try runner.executeUntilIdle { $0.join(session.key, now: $1) }
  }

  /// Requests the State of a session whose stream was rejected, and removes the session if this
  /// request is rejected as well.
  ///
  /// - Throws: A failure if nothing was received yet, and the response is not the server's.
  private func check(
    _ machine: inout StreamMachine, hasBegun: Bool
  ) throws(CommandFailure) -> [StreamMachine.Output] {
    var request = TransportRequest(
      "GET", session.path + "/state", fields: [.init("Accept", "application/json")])
    try fields.add(to: &request)
    guard let response = try? Transfers(to: session.origin).response(to: request) else { return [] }
    let problem = Problem(response)
    if !hasBegun, response.head.status != 200, problem.kind == .notAServer {
      throw .unavailable(problem.description)
    }
    guard problem.isFinal else { return [] }
    return machine.remove(session.key, problem)
  }
}
