internal import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Synchronization

/// One action that is sent to another session.
///
/// Its completion is called at most once; disposing drops it.
final class SendDelivery: Disposable {
  typealias Completion = @Sendable (Result<[UInt8]?, any Error>) -> Void

  private struct State {
    var completion: Completion?
    var key: IdempotencyKey?
    /// Ends the wait for the effects.
    var timeout: Task<Void, Never>?
  }

  let target: SessionKey
  private let action: [UInt8]
  private let expectation: SendExpectation
  private let context: RequestContext
  private let sessions: HostedSessions
  private let state: Mutex<State>
  /// The interval of retries while an earlier run of the same send is being executed.
  private static let retryInterval = Duration.milliseconds(20)

  init(
    _ action: [UInt8], to target: SessionKey, expecting expectation: SendExpectation,
    for context: RequestContext, among sessions: HostedSessions,
    completion: @escaping Completion
  ) {
    self.target = target
    self.action = action
    self.expectation = expectation
    self.context = context
    self.sessions = sessions
    state = Mutex(State(completion: completion))
  }

  /// Sets the idempotency key.
  ///
  /// The name identifies the send, so the body is not compared: an effect that runs again may create
  /// another one.
  func identify(as name: String) {
    state.withLock { $0.key = IdempotencyKey(stored: name, body: "") }
  }

  /// Delivers the action to the mailbox of the other session.
  ///
  /// - Parameter done: Called when the action is in the mailbox, or the delivery has failed. Any
  ///   thread.
  func start(_ done: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.completion != nil }) else { return done() }
    guard let reactor = sessions.reactor(target.reactor) else {
      finish(.failure(SessionSendError.unknownReactor(target)))
      return done()
    }
    if let live = reactor.liveSession(target.id) {
      return submit(to: live, until: .now + sessions.wait, done)
    }
    sessions.load { [self] in
      reactor.session(target.id, for: .use) { [self] result in
        switch result {
        case .success(let opened): submit(to: opened.session, until: .now + sessions.wait, done)
        case .failure(let error):
          finish(.failure(SessionSendError(target, error)))
          done()
        }
      }
    }
  }

  private func submit(
    to session: any Session, until deadline: ContinuousClock.Instant,
    _ done: @escaping @Sendable () -> Void
  ) {
    guard let session = session as? any SubmissionTarget else {
      finish(.failure(SessionSendError.unknownReactor(target)))
      return done()
    }
    let key = state.withLock { $0.key }
    do throws(ActionDecodingError) {
      try session.submit(
        Submission(body: action, key: key, context: context),
        accepted: { [self] in didAccept($0, by: session) },
        enqueued: done,
        completion: { [self] in didEnd($0, in: session, until: deadline) })
    } catch {
      didFailToDecode(error)
      done()
    }
  }

  private func didFailToDecode(_ error: ActionDecodingError) {
    let detail =
      switch error {
      case .malformed(_, let reason): reason
      case .invalid(_, _, let detail): detail
      }
    finish(.failure(SessionSendError.invalidAction(target, detail: detail)))
  }

  /// The action is durable, and an effect of it is running.
  private func didAccept(_ accepted: CommittedState, by session: any Session) {
    guard case .effects = expectation else { return finish(.success(accepted.json)) }
    let timeout = Task { [self, wait = sessions.wait] in
      do { try await Task.sleep(for: wait) } catch { return }
      finish(.success(session.current.json))
    }
    let isPending = state.withLock { state in
      if state.completion != nil { state.timeout = timeout }
      return state.completion != nil
    }
    if !isPending { timeout.cancel() }
  }

  private func didEnd(
    _ outcome: ActionOutcome, in session: any Session, until deadline: ContinuousClock.Instant
  ) {
    switch outcome {
    case .committed(let state): finish(.success(state.json))
    case .failed(_, let error, _): finish(.failure(error))
    case .replayed(let outcome): didEnd(outcome, in: session, until: deadline)
    case .running: retry(in: session, until: deadline)
    case .overloaded: finish(.failure(SessionSendError.overloaded(target)))
    case .ended: finish(.failure(SessionSendError.ended(target)))
    // The other session has another owner, which receives the same send.
    case .displaced: start {}
    case .invalid(let error): didFailToDecode(error)
    case .notOpened(let error): finish(.failure(SessionSendError(target, error)))
    case .notCommitted(let error): finish(.failure(SessionSendError.log(target, error)))
    case .keyReused, .mismatch:
      finish(.failure(SessionSendError.log(target, .conflict)))
    }
  }

  /// An earlier run of the same send is being executed: waits for its outcome.
  private func retry(in session: any Session, until deadline: ContinuousClock.Instant) {
    guard case .effects = expectation, .now < deadline else {
      return finish(.success(session.current.json))
    }
    Task { [self] in
      try? await Task.sleep(for: Self.retryInterval)
      guard state.withLock({ $0.completion != nil }) else { return }
      submit(to: session, until: deadline) {}
    }
  }

  private func finish(_ result: Result<[UInt8]?, any Error>) {
    guard let completion = takeCompletion() else { return }
    if case .success = result, case .accepted = expectation {
      completion(.success(nil))
    } else {
      completion(result)
    }
  }

  private func takeCompletion() -> Completion? {
    let (completion, timeout) = state.withLock { state in
      (state.completion.take(), state.timeout.take())
    }
    timeout?.cancel()
    return completion
  }

  /// Drops the completion, and the action if it is not in the mailbox yet.
  func dispose() {
    _ = takeCompletion()
  }
}
