internal import ReactorHost
internal import ReactorLog

extension Call {
  /// Finds the source of a session's streams.
  func streamSource(
    of reactor: any HostedReactor, _ id: String
  ) async throws(SessionError) -> any SessionSource {
    if let source = reactor.liveStreamSource(id) { return source }
    await takeTurnToRead()
    return try await reactor.streamSource(id)
  }

  /// Finds the source of a session's streams for a client that can have been connected before.
  ///
  /// If the source does not have the client's position, it confirms its State first: a process that
  /// is cut off from the others must not reset a client to an older State. If another process has
  /// the source meanwhile, the source is looked up again.
  ///
  /// - Parameters:
  ///   - reactor: The reactor.
  ///   - id: The id of the session.
  ///   - position: The position of the client in a history, by the name of the history.
  /// - Returns: The source.
  /// - Throws: If the session cannot be opened, or its State not be confirmed.
  func streamSource(
    of reactor: any HostedReactor, _ id: String,
    from position: (_ epoch: String) -> StreamPosition
  ) async throws(SessionError) -> any SessionSource {
    var attempts = 4
    while true {
      let source = try await streamSource(of: reactor, id)
      guard position(source.epoch).isBeyond(source.current) else { return source }
      await takeTurnToRead()
      attempts -= 1
      do throws(LogError) {
        try await source.confirmCurrent()
        return source
      } catch {
        guard case .lost = error, attempts > 0 else { throw .log(error) }
      }
    }
  }
}
