internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The hand-over of a session to another process.
extension LiveSession: SubmissionTarget {
  /// Executes actions, see ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///
  /// The outcome may be ``ActionOutcome/displaced(by:)``.
  func submit(
    _ submission: Submission, accepted: (@Sendable (CommittedState) -> Void)?,
    enqueued: (@Sendable () -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    try submit(
      submission.body, ifAt: submission.expected, identifiedBy: submission.key,
      isRepeated: submission.isRepeated, for: submission.context, accepted: accepted,
      enqueued: enqueued, completion: completion)
  }

  /// Closes the session when all that it did before is committed.
  ///
  /// Requests that are executed meanwhile are displaced: the log never gets their batch.
  ///
  /// - Parameters:
  ///   - owner: The next owner.
  ///   - completion: Called when the log has no batch of the session in flight. Any thread.
  func handOver(to owner: NodeID?, completion: @escaping @Sendable () -> Void) {
    let close: @Sendable (Bool) -> Void = { [self] _ in
      self.close(.interrupted, fault: .lost(to: owner))
      completion()
    }
    enqueue { [self] in
      // The next batch is announced after this continuation, so that none is in flight.
      let waits = commits.withLock { $0.whenAllIsCommitted(close) }
      if !waits { close(true) }
    }
  }

  /// Sends a request to the session's owner if this process turns out to have lost it.
  func rerouting(
    _ submission: Submission, accepted: (@Sendable (CommittedState) -> Void)?,
    through router: any SessionRouter, _ completion: @escaping @Sendable (ActionOutcome) -> Void
  ) -> @Sendable (ActionOutcome) -> Void {
    { [key] outcome in
      guard case .displaced = outcome else { return completion(outcome) }
      router.submit(submission, to: key, accepted: accepted, completion: completion)
    }
  }
}
