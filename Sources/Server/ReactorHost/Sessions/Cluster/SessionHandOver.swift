internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The hand-over of a session to another process, and the check whether it has happened.
struct SessionHandOver: Sendable {
  let session: LiveSession

  /// Closes the session when all of its earlier changes are committed: the log has no batch of it in flight.
  ///
  /// Requests that are executed meanwhile are displaced: their batch is not appended to the log.
  ///
  /// - Parameter owner: The next owner.
  func start(to owner: NodeID?) async {
    await withCheckedContinuation { continuation in
      session.enqueue {
        // No batch is in flight: the next batch is announced after this continuation.
        session.whenCommitted { _ in
          session.close(.interrupted, fault: .lost(to: owner))
          continuation.resume()
        }
      }
    }
  }

  /// Confirms that no other process has appended to the session, see
  /// ``StateSource/confirmCurrent()``.
  ///
  /// Closes a session that this process has lost.
  func confirmOwner() throws(LogError) {
    guard session.environment.router != nil else { return }
    do throws(LogError) {
      try session.log.confirmEnd(of: session.epoch) { session.current.version }
    } catch {
      if case .lost = error { session.close(.interrupted, fault: error) }
      throw error
    }
  }
}

extension Submission {
  /// Returns a completion that sends the request to the session's owner if this process has lost
  /// the session.
  ///
  /// - Parameters:
  ///   - key: The session.
  ///   - accepted: See ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///   - router: The router.
  ///   - completion: Called with the outcome, here or at the owner.
  /// - Returns: The completion for the execution in this process.
  func rerouting(
    to key: SessionKey, accepted: (@Sendable (CommittedState) -> Void)?,
    through router: any SessionRouter, _ completion: @escaping @Sendable (ActionOutcome) -> Void
  ) -> @Sendable (ActionOutcome) -> Void {
    { [self] outcome in
      guard case .displaced = outcome else { return completion(outcome) }
      router.submit(self, to: key, accepted: accepted, completion: completion)
    }
  }
}
