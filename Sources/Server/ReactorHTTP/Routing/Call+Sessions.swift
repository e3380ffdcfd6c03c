internal import ReactorHost
internal import ReactorLog

/// The sessions of a request, for `async` handlers.
extension Call {
  /// Returns the session; loads it, or begins it if sessions are created implicitly.
  func openSession(of reactor: any HostedReactor, _ id: String) async throws(Problem) -> any Session
  {
    if let session = reactor.liveSession(id) { return session }
    let result = await withCheckedContinuation { continuation in
      reactor.session(id, for: .use) { continuation.resume(returning: $0) }
    }
    return try result.get(orThrow: Problem.init).session
  }

  /// Returns the session, or the initial State of one that does not exist, which is not created.
  func findSession(of reactor: any HostedReactor, _ id: String) async throws(Problem)
    -> FoundSession
  {
    try await find(id, of: reactor).get(orThrow: Problem.init)
  }

  /// Returns the source of a session's streams.
  func findSource(of reactor: any HostedReactor, _ id: String) async throws(Problem)
    -> any SessionSource
  {
    if let source = reactor.liveStreamSource(id) { return source }
    let result = await withCheckedContinuation { continuation in
      reactor.streamSource(id) { continuation.resume(returning: $0) }
    }
    return try result.get(orThrow: Problem.init)
  }

  /// Returns a stored session, for a client that may not create it.
  ///
  /// - Parameters:
  ///   - reactor: The session's reactor.
  ///   - id: The session's id.
  ///   - problem: The problem of a session that is not stored.
  /// - Returns: The session.
  /// - Throws: The problem.
  func storedSession(
    of reactor: any HostedReactor, _ id: String, orElse problem: Problem
  ) async throws(Problem) -> any Session {
    let found: FoundSession
    do throws(SessionError) {
      found = try await find(id, of: reactor).get()
    } catch .ended, .unknown {
      // An ended session would begin again; an unknown one is not created implicitly.
      throw problem
    } catch {
      throw Problem(error)
    }
    guard case .open(let session) = found, session.isStored else { throw problem }
    return session
  }

  /// Returns the history of a session: also that of a session that cannot be loaded, whose log has
  /// readable parts.
  func findHistory(of reactor: any HostedReactor, _ id: String) async throws(Problem)
    -> FoundHistory
  {
    switch await find(id, of: reactor) {
    case .success(.open(let session)): return .open(session)
    case .success(.absent(let initial)): return .absent(initial)
    case .failure(.log(let error)) where error.isDamage:
      guard let history = try? reactor.storedHistory(id) else { throw Problem(error) }
      return .open(history)
    case .failure(let error): throw Problem(error)
    }
  }

  private func find(
    _ id: String, of reactor: any HostedReactor
  ) async -> Result<FoundSession, SessionError> {
    await withCheckedContinuation { continuation in
      reactor.findSession(id) { continuation.resume(returning: $0) }
    }
  }
}

extension Problem {
  /// Returns what a request of a session returns, or throws the problem of its error.
  static func mapping<Value>(
    _ request: @autoclosure () async throws(SessionError) -> Value
  ) async throws(Problem) -> Value {
    do throws(SessionError) {
      return try await request()
    } catch {
      throw Problem(error)
    }
  }
}

/// The history of a session, or the initial State of a session that does not exist.
enum FoundHistory {
  case open(any HistorySource)
  case absent(CommittedState)
}

extension Result {
  /// Returns the value, or throws an error that is created from that of the result.
  fileprivate func get<Other>(orThrow error: (Failure) -> Other) throws(Other) -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let failure): throw error(failure)
    }
  }
}
