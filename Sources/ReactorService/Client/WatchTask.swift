internal import Glibc

/// `reactord watch URL`: a session's State, and then what changes, until it ends.
public struct WatchTask: Equatable, Sendable {
  /// What is watched.
  let session: SessionURL

  /// Whether every State is written whole, as one line of JSON.
  let isJSON: Bool

  /// How long a stream may be silent, in seconds: a daemon sends at least a comment more often.
  private static let patience = 90

  /// Watches until the session ends, coming back where the connection breaks.
  ///
  /// - Throws: Where there is nothing to watch, or nowhere to write to.
  func run() throws(ConfigurationError) {
    let isColoured = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    var watched = WatchedSession(session.name, isJSON: isJSON, isColoured: isColoured)
    var failures = 0
    while true {
      let seen = watched.eventCount
      let reason = try connection(&watched)
      if watched.hasEnded { return }
      guard watched.hasBegun else {
        throw ConfigurationError(message: reason, exitCode: 69)  // EX_UNAVAILABLE
      }
      if watched.eventCount > seen { failures = 0 }
      if failures == 0 {
        StandardError.write(Array("reactord: \(reason); coming back\n".utf8))
      }
      failures += 1
      ClientRequest.pause(before: failures)
    }
  }

  /// Follows the session for as long as one connection lasts.
  ///
  /// - Returns: Why it lasts no longer.
  private func connection(_ watched: inout WatchedSession) throws(ConfigurationError) -> String {
    var request = ClientRequest(
      method: "GET", address: session.address,
      path: session.path + "/events" + (isJSON ? "" : "?delta=patch"),
      fields: [("Accept", "text/event-stream")])
    if let cursor = watched.cursor { request.fields.append(("Last-Event-ID", cursor)) }
    var answer = AnswerParser()
    var events = EventParser()
    var refusal: [UInt8] = []
    do {
      let socket = try ClientSocket(to: session.address, patience: Self.patience)
      try socket.send(request.bytes)
      while !answer.isComplete {
        let received = try socket.receive()
        let body = try answer.read(received)
        if answer.head?.status == 200 {
          for event in try events.read(body) {
            try watched.take(event)
            if watched.hasEnded { return "" }
          }
        } else {
          refusal += body.prefix(65_536 - min(65_536, refusal.count))
        }
        if received.isEmpty, !answer.close() { break }
      }
    } catch let error as ConfigurationError {
      throw error
    } catch let error as ClientSocket.Failure {
      return error.reason
    } catch {
      return "\(session.address) did not answer in HTTP"
    }
    switch answer.head?.status {
    case 200: return "\(session.address) closed the connection"
    case 204: throw ConfigurationError(message: "the session has ended", exitCode: EXIT_FAILURE)
    case let status?:
      let problem = ToldProblem(status: status, body: refusal)
      guard problem.isPassing else {
        throw ConfigurationError(message: problem.text, exitCode: EXIT_FAILURE)
      }
      return problem.text
    case nil: return "\(session.address) did not answer in HTTP"
    }
  }
}
