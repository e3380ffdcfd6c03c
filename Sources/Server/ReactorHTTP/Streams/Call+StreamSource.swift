internal import ReactorHost
internal import ReactorLog

extension Call {
  /// Finds the source of a session's streams.
  ///
  /// Loads the session on a background thread if that reads from disk.
  func streamSource(
    of reactor: any HostedReactor, _ id: String, in host: Host,
    _ completion: @escaping @Sendable (Result<any SessionSource, SessionError>) -> Void
  ) {
    if let source = reactor.liveStreamSource(id) { return completion(.success(source)) }
    load(in: host) { reactor.streamSource(id, completion: completion) }
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
  ///   - host: The host.
  ///   - position: The position of the client in a history, by the name of the history.
  ///   - attempts: The maximum number of lookups of the source.
  ///   - completion: Called with the source, or the error.
  func streamSource(
    of reactor: any HostedReactor, _ id: String, in host: Host,
    from position: @escaping @Sendable (_ epoch: String) -> StreamPosition, attempts: Int = 4,
    _ completion: @escaping @Sendable (Result<any SessionSource, SessionError>) -> Void
  ) {
    streamSource(of: reactor, id, in: host) { [self] result in
      guard case .success(let source) = result, position(source.epoch).isBeyond(source.current)
      else { return completion(result) }
      source.confirmCurrent { [self] confirmation in
        switch confirmation {
        case .success: completion(result)
        case .failure(.lost) where attempts > 1:
          streamSource(
            of: reactor, id, in: host, from: position, attempts: attempts - 1, completion)
        case .failure(let error): completion(.failure(.log(error)))
        }
      }
    }
  }
}
