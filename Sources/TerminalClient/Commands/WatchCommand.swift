internal import ClientCore
internal import Glibc

/// `reactord watch URL`: prints a session's State and each change until the session ends.
public struct WatchCommand: Equatable, Sendable {
  /// The session.
  let session: SessionURL

  /// Whether to print each State as one line of JSON instead of its changes.
  let isJSON: Bool

  /// The time limit for the next byte of a stream, in seconds; the server sends comments more often.
  private static let timeout = 90

  /// Creates the command.
  package init(session: SessionURL, isJSON: Bool) {
    self.session = session
    self.isJSON = isJSON
  }

  /// Prints events until the session ends, and reconnects when the connection is lost.
  ///
  /// - Throws: A failure if the session cannot be watched or standard output cannot be written.
  package func run() throws(CommandFailure) {
    let isColoured = unsafe isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    var watched = WatchedSession(session.name, isJSON: isJSON, isColoured: isColoured)
    var schedule = RetrySchedule()
    while true {
      let eventCount = watched.eventCount
      let reason = try connect(&watched)
      if watched.hasEnded { return }
      guard watched.hasBegun else { throw .unavailable(reason) }
      if watched.eventCount > eventCount { schedule.reset() }
      if schedule.failures == 0 {
        StandardError.write(Array("reactord: \(reason); reconnecting\n".utf8))
      }
      schedule.pause()
    }
  }

  /// Prints the events of one connection.
  ///
  /// - Returns: The reason the connection ended.
  private func connect(_ watched: inout WatchedSession) throws(CommandFailure) -> String {
    var request = ClientRequest(
      method: "GET", address: session.address,
      path: session.path + "/events" + (isJSON ? "" : "?delta=patch"),
      fields: [("Accept", "text/event-stream")])
    if let cursor = watched.cursor { request.fields.append(("Last-Event-ID", cursor)) }
    var response = ResponseParser()
    var events = EventParser()
    var problemBody: [UInt8] = []
    do {
      let socket = try ClientSocket(to: session.address, timeout: Self.timeout)
      try socket.send(request.bytes)
      while !response.isComplete {
        let received = try socket.receive()
        let body = try response.read(received)
        if response.head?.status == 200 {
          for event in try events.read(body[...]) {
            try watched.apply(event)
            if watched.hasEnded { return "" }
          }
        } else {
          problemBody += body.prefix(65_536 - min(65_536, problemBody.count))
        }
        if received.isEmpty, !response.close() { break }
      }
    } catch let error as CommandFailure {
      throw error
    } catch let error as ClientSocket.Failure {
      return error.reason
    } catch {
      return "\(session.address) does not respond with HTTP"
    }
    switch response.head?.status {
    case 200: return "\(session.address) closed the connection"
    case 204: throw .rejected("the session has ended")
    case let status?:
      let problem = Problem(status: status, body: problemBody)
      guard problem.isTransient else { throw .rejected(problem.description) }
      return problem.description
    case nil: return "\(session.address) does not respond with HTTP"
    }
  }
}
