internal import ReactorHost
internal import ReactorLog

/// The sessions of a request, for `async` handlers.
extension Call {
  /// Returns the session; loads it, or begins it if sessions are created implicitly.
  func openSession(of reactor: any HostedReactor, _ id: String) async throws(Problem) -> any Session
  {
    if let session = reactor.liveSession(id) { return session }
    return try await Problem.mapping(await reactor.session(id, for: .use)).session
  }

  /// Returns the session, or the initial State of one that does not exist, which is not created.
  func findSession(of reactor: any HostedReactor, _ id: String) async throws(Problem)
    -> FoundSession
  {
    try await Problem.mapping(await reactor.findSession(id))
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
      found = try await reactor.findSession(id)
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
    do throws(SessionError) {
      switch try await reactor.findSession(id) {
      case .open(let session): return .open(session)
      case .absent(let initial): return .absent(initial)
      }
    } catch .log(let error) where error.isDamage {
      guard let history = try? reactor.storedHistory(id) else { throw Problem(error) }
      return .open(history)
    } catch {
      throw Problem(error)
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
