internal import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// Sends an action and waits until its effects have ended.
  ///
  /// ```swift
  /// let state = try await counter.send(.add(2))
  /// ```
  ///
  /// An effect that `afterCommit(_:)` starts is not waited for. A mutation that
  /// `transform(action:)` or `transform(mutation:)` delays is not attributed to the action, and not waited
  /// for either.
  ///
  /// The reactor of a server has the same function, see `RemoteReactor` of the module `ReactorClient`.
  ///
  /// - Parameters:
  ///   - action: The action. It waits in the mailbox while another one is executed.
  ///   - timeout: The time after which the call fails, or `nil` for no limit: an effect that never ends is
  ///     then waited for until the task is canceled. In both cases the effects continue.
  /// - Returns: The state that observers see when the effects have ended.
  /// - Throws: The first error of `mutate` or of one of its effects, after the others have ended;
  ///   `RxError.timeout` after the timeout; `CancellationError` if the task is canceled, or the reactor was
  ///   shut down.
  @discardableResult
  public func send(_ action: Action, timeout: Duration? = nil) async throws -> State {
    guard !isStubEnabled else {
      self.action.onNext(action)
      return currentState
    }
    // The pipeline does not retain the reactor.
    defer { withExtendedLifetime(self) {} }
    let pipeline = pipeline
    pipeline.connect()
    return try await pipeline.stateAfterEffects(of: action, timeout)
  }
}

extension Pipeline {
  /// Sends an action, and returns the current state when its effects have ended.
  package func stateAfterEffects(
    of action: Action, _ timeout: Duration?, isolation: isolated (any Actor)? = #isolation
  ) async throws -> State {
    try Task.checkCancellation()
    let waiting = Box<CheckedContinuation<State, any Error>?>(nil)
    let effect = LocalEffect { [self] error in
      guard let sender = waiting.withLock({ $0.take() }) else { return }
      if let error { return sender.resume(throwing: error) }
      guard let state = currentState else { return sender.resume(throwing: CancellationError()) }
      sender.resume(returning: state)
    }
    return try await withTaskCancellationHandler {
      // Capturing `isolation` makes the closure run on the caller's actor: another executor would
      // cost two thread switches.
      _ = isolation
      return try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // If the task was canceled before, `onCancel` has found no continuation.
        if Task.isCancelled {
          waiting.withLock { $0.take() }?.resume(throwing: CancellationError())
          return
        }
        send(action, as: effect)
        if let timeout { effect.complete(after: timeout, with: RxError.timeout, on: timer) }
      }
    } onCancel: {
      effect.fail(CancellationError())
    }
  }
}
