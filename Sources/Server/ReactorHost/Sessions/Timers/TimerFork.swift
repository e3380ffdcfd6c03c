internal import ReactorCore
internal import ReactorLog
internal import Synchronization

extension HostedReactor {
  /// Creates a session with the current history of another one, and with its pending timers.
  ///
  /// Timers are not part of the log, so only the current version has timers. They are stored
  /// directly after the fork. If the process ends in between, the fork has no timers, and the
  /// request gets no response.
  ///
  /// - Parameters:
  ///   - source: The id of the other session, which must exist.
  ///   - id: The id of the new session, which must not exist.
  ///   - parameters: The parameters of the new session, or `nil` for those of the other one.
  /// - Returns: The new session.
  /// - Throws: If one of the sessions cannot be opened, or the timers cannot be stored.
  public func forkWithTimers(
    _ source: String, to id: String, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession {
    guard case .open(let session) = try await findSession(source) else { throw .unknown }
    guard let session = session as? LiveSession else { throw .elsewhere }
    let (version, timers) = try await SessionTimers(session: session).readDurable()
    let opened = try await fork(source, at: version, to: id, parameters: parameters)
    guard !timers.isEmpty else { return opened }
    guard let fork = opened.session as? LiveSession else { throw .elsewhere }
    try await SessionTimers(session: fork).adopt(timers)
    return opened
  }
}

extension SessionError {
  /// One of the two sessions belongs to another node of the cluster.
  fileprivate static let elsewhere = SessionError.log(
    .unavailable("Another node owns one of the sessions; only its own node copies timers."))
}
