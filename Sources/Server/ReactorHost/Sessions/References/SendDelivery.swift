internal import ReactorCore
internal import ReactorLog
internal import ReactorSessions
internal import ReactorStreams
internal import Synchronization

/// One action that is sent to another session.
///
/// Its observer receives at most one result, and none after the delivery was disposed of.
final class SendDelivery: Disposable {
  private struct State {
    var observer: (any ObserverType<[UInt8]>)?
    var key: IdempotencyKey?
    /// Whether the key has never been sent, so that no session can have an outcome for it.
    var keyIsNew = false
    /// Whether the send waits for another release if this one cannot read the other session.
    var isKept = false
    /// The session that executes the action.
    var receiver: (any Session)?
    /// The time after which it is not retried, or `nil` before the first retry.
    var deadline: ContinuousClock.Instant?
    /// The place of the session that the action may create.
    var creation: CreationPlaces.Place?
    /// Ends the wait for the effects.
    var timeout: Task<Void, Never>?
  }

  let target: SessionKey
  /// The action, as JSON.
  let action: [UInt8]
  let context: RequestContext
  let sessions: HostedSessions
  private let expectation: SendExpectation
  private let state: Mutex<State>
  /// The interval of retries while an earlier run of the same send is being executed.
  private static let retryInterval = Duration.milliseconds(20)
  /// The interval of retries while the store is unavailable.
  private static let storeInterval = Duration.milliseconds(250)

  init(
    _ action: [UInt8], to target: SessionKey, expecting expectation: SendExpectation,
    for context: RequestContext, among sessions: HostedSessions,
    observer: any ObserverType<[UInt8]>
  ) {
    self.target = target
    self.action = action
    self.expectation = expectation
    self.context = context
    self.sessions = sessions
    state = Mutex(State(observer: observer))
  }

  /// Sets the idempotency key of a send by the effect of an action.
  ///
  /// If no client waits for the effect, an error would lose an action that was acknowledged, or a timer.
  ///
  /// The name identifies the send, so the body is not compared: an effect that runs again can
  /// create a different body.
  ///
  /// - Parameters:
  ///   - name: The name of the key.
  ///   - isNew: Whether no earlier send can have used the name.
  func identify(as name: String, isNew: Bool) {
    state.withLock { state in
      state.key = IdempotencyKey(stored: name, body: "")
      state.keyIsNew = isNew
      state.isKept = context.isUnattended
    }
  }

  /// Delivers the action to the mailbox of the other session.
  ///
  /// - Parameter done: Called when the action is in the mailbox, or the delivery has failed. Any
  ///   thread.
  func start(_ done: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.observer != nil }) else { return done() }
    let reactor: any HostedReactor
    do throws(SessionSendError) {
      guard let found = try sessions.reactor(of: target) else {
        // Only the effect of an action can run again.
        guard state.withLock({ $0.key != nil }) else { throw .unknownReactor(target) }
        return done()
      }
      reactor = found
    } catch {
      finish(.failure(error))
      return done()
    }
    if let live = reactor.liveSession(target.id) { return submit(to: live, done) }
    sessions.load { [self] in
      do throws(SessionError) {
        submit(to: try await reactor.session(target.id, for: .use).session, done)
      } catch {
        if !repeats(after: error) { finish(.failure(SessionSendError(target, error))) }
        done()
      }
    }
  }

  private func submit(to session: any Session, _ done: @escaping @Sendable () -> Void) {
    guard let session = session as? any SubmissionTarget else {
      finish(.failure(SessionSendError.unknownReactor(target)))
      return done()
    }
    guard let key = begin(in: session) else { return done() }
    do throws(ActionDecodingError) {
      try session.submit(
        Submission(body: action, key: key.key, context: context),
        accepted: { [self] in didAccept($0) }, enqueued: done,
        completion: { [self] in didEnd($0) })
    } catch {
      didFailToDecode(error)
      done()
    }
  }

  /// The idempotency key of a send.
  struct Key {
    let key: IdempotencyKey?
    /// Whether no session can have the outcome of an earlier send with the key.
    let isNew: Bool
  }

  /// Records the session that is about to execute the action.
  ///
  /// - Returns: The key, or `nil` if the send was disposed of, or its client may not create the session.
  func begin(in session: any Session) -> Key? {
    let creation: CreationPlaces.Place?
    do throws(SessionSendError) {
      creation = try sessions.creations.place(of: session, for: context)
    } catch {
      finish(.failure(error))
      return nil
    }
    let key = state.withLock { state -> Key? in
      guard state.observer != nil else { return nil }
      defer { state.keyIsNew = false }
      (state.receiver, state.creation) = (session, creation)
      return Key(key: state.key, isNew: state.keyIsNew)
    }
    if key == nil { creation?.release() }
    return key
  }

  /// Releases the place of the session that the action may have created.
  private func releaseCreation() {
    state.withLock { $0.creation.take() }?.release()
  }

  /// The JSON is not an action of the other session's reactor.
  func didFailToDecode(_ error: ActionDecodingError) {
    releaseCreation()
    let detail =
      switch error {
      case .malformed(_, let reason): reason
      case .invalid(_, _, let detail): detail
      case .internalAction(let name): name
      }
    finish(.failure(SessionSendError.invalidAction(target, detail: detail)))
  }

  /// The action is durable, and an effect of it is running.
  func didAccept(_ accepted: CommittedState) {
    releaseCreation()
    guard case .effects = expectation else { return finish(.success(accepted.json)) }
    let timeout = Task { [self, wait = sessions.wait] in
      do { try await Task.sleep(for: wait) } catch { return }
      finishWithCurrentState()
    }
    let isPending = state.withLock { state in
      if state.observer != nil { state.timeout = timeout }
      return state.observer != nil
    }
    if !isPending { timeout.cancel() }
  }

  /// The action has ended in the other session, or was not executed.
  func didEnd(_ outcome: ActionOutcome) {
    releaseCreation()
    switch outcome {
    case .committed(let state): finish(.success(state.json))
    case .failed(_, let error, _): finish(.failure(error))
    case .replayed(let outcome): didEnd(outcome)
    case .running: retry()
    case .overloaded: finish(.failure(SessionSendError.overloaded(target)))
    case .ended: finish(.failure(SessionSendError.ended(target)))
    // Another process owns the session: send the action again, which reaches the owner.
    case .displaced: start {}
    case .invalid(let error): didFailToDecode(error)
    case .notOpened(let error) where repeats(after: error): break
    case .notCommitted(let error) where repeats(after: .log(error)): break
    case .notOpened(let error): finish(.failure(SessionSendError(target, error)))
    case .notCommitted(let error): finish(.failure(SessionSendError.log(target, error)))
    case .keyReused, .mismatch:
      finish(.failure(SessionSendError.log(target, .conflict)))
    }
  }

  /// Sends the action again later if the store is unavailable, until the effect ends: an error would become
  /// the outcome of an action, and of its key, for ever.
  ///
  /// - Returns: Whether it does.
  private func repeats(after error: SessionError) -> Bool {
    let isKnown = state.withLock { $0.key != nil }
    switch error {
    case .log(.unavailable): break
    // The log may have the action: only its key prevents a second execution.
    case .log(.unknown) where isKnown: break
    default: return false
    }
    Task { [self] in
      try? await Task.sleep(for: Self.storeInterval)
      start {}
    }
    return true
  }

  /// Waits for the outcome of an earlier run of the same send, which is being executed.
  private func retry() {
    let (receiver, deadline) = state.withLock { state in
      let deadline = state.deadline ?? ContinuousClock.now + sessions.wait
      state.deadline = deadline
      return (state.receiver, deadline)
    }
    guard case .effects = expectation, let receiver, .now < deadline else {
      return finishWithCurrentState()
    }
    Task { [self] in
      try? await Task.sleep(for: Self.retryInterval)
      submit(to: receiver) {}
    }
  }

  private func finishWithCurrentState() {
    guard let receiver = state.withLock({ $0.receiver }) else { return }
    finish(.success(receiver.current.json))
  }

  private func finish(_ result: Result<[UInt8], any Error>) {
    if case .failure(SessionSendError.log(_, .unreadable)) = result,
      state.withLock({ $0.isKept })
    {
      return
    }
    takeObserver()?.receive(result, for: expectation)
  }

  private func takeObserver() -> (any ObserverType<[UInt8]>)? {
    let (observer, timeout) = state.withLock { state in
      state.receiver = nil
      return (state.observer.take(), state.timeout.take())
    }
    timeout?.cancel()
    return observer
  }

  /// Drops the observer, and the action unless it is already in the mailbox.
  func dispose() {
    _ = takeObserver()
  }
}
