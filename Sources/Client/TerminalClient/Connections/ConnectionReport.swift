internal import ClientCore

/// Reports the losses of a connection on standard error, each once.
struct ConnectionReport {
  private var isLost = false

  /// Records a change of the connection's status.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - hasBegun: Whether anything has been received. If not, there is no stream to resume.
  /// - Throws: A failure if the connection was lost before anything was received. The rejection of
  ///   a session (4xx) does not throw: the machine first requests the State of the session.
  mutating func changed(
    _ status: ConnectionStatus, hasBegun: Bool
  ) throws(CommandFailure) {
    switch status {
    case .reconnecting(let problem) where hasBegun:
      if !isLost { StandardError.write(Array("reactord: reconnecting: \(problem)\n".utf8)) }
      isLost = true
    case .reconnecting(let problem):
      if problem.kind == .notAServer, problem.status != 0 {
        throw .unavailable(problem.description)
      }
      if problem.isTransient || problem.status == 0 {
        throw .unavailable(problem.detail ?? problem.title)
      }
      if problem.status >= 500 { throw .rejected(problem.description) }
    case .live: isLost = false
    case .connecting, .paused, .ended: break
    }
  }
}
