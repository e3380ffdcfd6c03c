public import ReactorCore
internal import Synchronization
internal import ReactorLog
internal import Telemetry

/// The reply to one request: counts the actions that have not ended, and responds once.
@usableFromInline
final class ActionReply: Sendable {
  private struct Progress {
    var failure: (index: Int, error: any Error)?
    var accepted: (@Sendable (CommittedState) -> Void)?
    var completion: (@Sendable (ActionOutcome) -> Void)?
    /// The response, if repetitions of the request wait for it.
    var outcome: ActionOutcome?
    /// Actions whose effects outlive their turn, until the journal has them.
    var outliving: [ActionEffect] = []
    /// The actions that the journal has, by their index.
    var journal: [Int: AcceptedAction] = [:]
    /// The actions whose effects continue after the response.
    var answered: Set<Int> = []
    /// The names of sends that this reply has chosen, by the index of the action; names from before
    /// a crash are in `journal`.
    var sendNames: [Int: String] = [:]
  }

  /// The idempotency key of the request.
  let key: IdempotencyKey?

  /// The number of actions.
  private let count: Int

  /// Whether the request is an array, so that a failure names an index.
  let isArray: Bool

  /// The context of the request.
  let context: RequestContext?

  /// The principal of the request, or `nil` for an anonymous one.
  var principal: Principal? { context?.principal }

  @usableFromInline let session: LiveSession
  private let progress: Mutex<Progress>
  // Atomics instead of values under the lock, because every action updates them.
  private let remaining: Atomic<Int>
  private let version = Atomic<Int>(0)
  private let rejected = Atomic<Bool>(false)
  private let hasLine = Atomic<Bool>(false)
  /// Whether the journal has none of the actions, and no effect outlives its turn.
  private let isPlain = Atomic<Bool>(true)

  /// Creates a reply.
  ///
  /// - Parameters:
  ///   - count: The number of actions.
  ///   - isArray: Whether the request is an array.
  ///   - key: The idempotency key.
  ///   - context: The context of the request.
  ///   - session: Notified when the last action has ended, and when one in the journal has.
  ///   - accepted: Called when actions with effects that outlive their turn are durable.
  ///   - completion: Called with the outcome.
  init(
    count: Int, isArray: Bool, key: IdempotencyKey? = nil, context: RequestContext?,
    in session: LiveSession, accepted: (@Sendable (CommittedState) -> Void)? = nil,
    completion: (@Sendable (ActionOutcome) -> Void)?
  ) {
    self.count = count
    self.isArray = isArray
    self.key = key
    self.context = context
    self.session = session
    // Plus one for the start of the actions, so that an empty array ends as well.
    remaining = Atomic(count + 1)
    progress = Mutex(Progress(accepted: accepted, completion: completion))
  }

  /// The version of the last mutation that the actions caused; 0 for none.
  ///
  /// Written and read in the session's serial context.
  var lastVersion: Int {
    version.load(ordering: .relaxed)
  }

  /// Records that an action caused the mutation of a version.
  func didCause(_ version: Int) {
    self.version.store(version, ordering: .relaxed)
  }

  /// Whether no effect of the request has outlived its turn so far.
  var endedInItsTurn: Bool {
    isPlain.load(ordering: .relaxed)
  }

  /// Records that an action was started.
  @usableFromInline
  func didStart(_ effect: ActionEffect) {
    guard effect.isRunning else { return }
    isPlain.store(false, ordering: .relaxed)
    progress.withLock { $0.outliving.append(effect) }
  }

  /// Removes the actions that were started since the last call and are still running.
  func removeOutliving() -> [ActionEffect] {
    guard !isPlain.load(ordering: .relaxed) else { return [] }
    return progress.withLock { progress in
      defer { progress.outliving = [] }
      return progress.outliving.filter(\.isRunning)
    }
  }

  /// Returns whether a failure is the first one of the request, which is logged.
  func takeLine() -> Bool { !hasLine.exchange(true, ordering: .relaxed) }

  /// Whether the sender waits for the outcome of an action.
  func isAwaited(_ index: Int) -> Bool {
    if progress.withLock({ $0.answered.contains(index) }) { return false }
    return switch context?.wait {
    case .always, nil: true
    case .until(let time): !isJournalled(index) || !Stopwatch.hasPassed(time)
    case .never: false
    }
  }

  /// Records that the response does not wait for the rest of an action's effects, in the serial context.
  ///
  /// The response is sent when the mutations and the journal of the turn are committed.
  func answer(_ index: Int) {
    let isComplete = progress.withLock { progress in
      progress.answered.insert(index)
      return progress.answered.count == count && progress.failure == nil
    }
    guard isComplete, !session.hasEnded else { return }
    session.commits.withLock { machine in
      machine.change(then: { [self] in if $0 { respond(with: session.current) } }) { _ in }
    }
  }

  /// Records that all actions were started.
  func didStartAll() {
    didEnd(nil, nil)
  }

  /// Records that all effects of an action have ended.
  ///
  /// - Parameters:
  ///   - index: The index of the action, or `nil` for the start of the actions, see ``didStartAll()``.
  ///   - error: The error that it ended with.
  func didEnd(_ index: Int?, _ error: (any Error)?) {
    let journalled = record(index, error)
    if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      finish()
    } else if let journalled {
      let failed = endJournalled(journalled, error)
      session.commits.withLock { $0.ended(journalled, failed: failed) }
    }
  }

  /// Responds after all actions have ended: now, or when the commit that the reply waits for is
  /// published.
  private func finish() {
    let journalled = self.journalled
    let (failure, time) = key == nil ? (nil, nil) : (self.failure, Timestamp.now)
    respond(
      as: session.commits.withLock { machine in
        machine.finished(
          self, key: key, version: lastVersion, journalled: journalled, failure: failure, at: time)
      })
  }

  /// Records how an action ended.
  ///
  /// - Returns: Its id in the journal, or `nil` if the journal does not have it.
  private func record(_ index: Int?, _ error: (any Error)?) -> AcceptedAction.ID? {
    guard let index, error != nil || !isPlain.load(ordering: .relaxed) else { return nil }
    return progress.withLock { progress in
      if let error, index < progress.failure?.index ?? .max { progress.failure = (index, error) }
      return progress.journal[index]?.id
    }
  }

  // MARK: The journal

  /// Records that these actions are in the journal, or are added to it by the next batch.
  func didJournal(_ actions: [AcceptedAction]) {
    isPlain.store(false, ordering: .relaxed)
    progress.withLock { progress in
      for action in actions {
        progress.journal[action.id.place] = action
        if let failure = action.failure, action.id.place < progress.failure?.index ?? .max {
          progress.failure = (action.id.place, failure.error)
        }
      }
    }
  }

  /// Ends an action in the journal while others of the request continue.
  ///
  /// - Returns: The action with its failure, which replaces it in the journal; `nil` removes it.
  private func endJournalled(_ id: AcceptedAction.ID, _ error: (any Error)?) -> AcceptedAction? {
    progress.withLock { progress in
      guard let error, var action = progress.journal[id.place] else {
        progress.journal[id.place] = nil
        return nil
      }
      action.failure = ActionFailure(index: id.place, error)
      action.removePrivateValues()
      progress.journal[id.place] = action
      return action
    }
  }

  /// Returns whether the journal has the action at an index.
  func isJournalled(_ index: Int) -> Bool {
    guard !isPlain.load(ordering: .relaxed) else { return false }
    return progress.withLock { $0.journal[index] != nil }
  }

  /// The request's actions in the journal.
  var journalled: [AcceptedAction.ID] {
    guard !isPlain.load(ordering: .relaxed) else { return [] }
    return progress.withLock { $0.journal.values.map(\.id) }
  }

  /// The first failure, as it is stored.
  var failure: ActionFailure? {
    progress.withLock { $0.failure }.map {
      ActionFailure(index: isArray ? $0.index : nil, $0.error)
    }
  }

  // MARK: Sends to other sessions

  /// Returns the name for the sends of an action's effects, which is chosen with the first send.
  ///
  /// - Parameters:
  ///   - index: The index of the action.
  ///   - replace: Called with the action that replaces the one in the journal.
  /// - Returns: The name, and whether an effect may have used it before a crash.
  func sendName(
    ofActionAt index: Int, replacing replace: (AcceptedAction) -> Void
  ) -> (name: String, isOld: Bool) {
    var replaced: AcceptedAction?
    let chosen = progress.withLock { progress -> (name: String, isOld: Bool) in
      if let name = progress.sendNames[index] { return (name, false) }
      if let name = progress.journal[index]?.sendName { return (name, true) }
      let name = Epoch.random(characters: 16)
      progress.sendNames[index] = name
      if var action = progress.journal[index] {
        action.sendName = name
        progress.journal[index] = action
        replaced = action
      }
      return (name, false)
    }
    if let replaced { replace(replaced) }
    return chosen
  }

  /// Returns the name for the sends of an action that is about to be journaled, or `nil` for none.
  func sendName(ofActionAt index: Int) -> String? {
    guard !isPlain.load(ordering: .relaxed) else { return nil }
    return progress.withLock { $0.sendNames[index] }
  }

  // MARK: Responding

  /// Reports that the actions are durable while their effects run.
  func acknowledge(_ state: CommittedState) {
    progress.withLock { $0.accepted.take() }?(state)
    guard let key else { return }
    for repetition in session.commits.withLock({ $0.accepted(key) }) { repetition.accepted() }
  }

  /// Rejects the request because the session is at another version than it expects.
  ///
  /// No action is executed. The response waits until the session's current version is committed.
  func reject() {
    rejected.store(true, ordering: .relaxed)
    respond(as: session.commits.withLock { $0.rejected(self, key: key) })
  }

  private func respond(as decision: CommitMachine<ActionReply>.ReplyDecision) {
    switch decision {
    case .respond(let state): respond(with: state)
    case .wait: break
    case .ended: session.respondEnded(self)
    }
  }

  /// Responds with the state that contains the actions' mutations, or with the first failure.
  func respond(with state: CommittedState) {
    // Assigned by the closure instead of returned: generic code would wrap a returned function.
    var completion: (@Sendable (ActionOutcome) -> Void)?
    let failure = progress.withLock { progress in
      completion = progress.completion.take()
      return progress.failure
    }
    if rejected.load(ordering: .relaxed) {
      complete(completion, with: .mismatch(state))
    } else if let failure {
      complete(
        completion,
        with: .failed(index: isArray ? failure.index : nil, failure.error, at: state.cursor))
    } else {
      complete(completion, with: .committed(state))
    }
  }

  /// Responds with an outcome other than the actions' own.
  func respond(with outcome: ActionOutcome) {
    complete(progress.withLock { $0.completion.take() }, with: outcome)
  }

  /// Responds to the request, and to its repetitions that wait.
  private func complete(
    _ completion: (@Sendable (ActionOutcome) -> Void)?, with outcome: ActionOutcome
  ) {
    completion?(outcome)
    guard let key else { return }
    let repetitions = session.commits.withLock { $0.takeRepetitions(of: key) }
    guard !repetitions.isEmpty else { return }
    progress.withLock { $0.outcome = outcome }
    for repetition in repetitions { repetition.completion(self) }
  }

  /// The outcome, for repetitions.
  var outcome: ActionOutcome? { progress.withLock { $0.outcome } }
}

/// The effects of one action of a request.
@usableFromInline
final class ActionEffect: TrackedEffect {
  /// The reply to the request.
  @usableFromInline let reply: ActionReply

  /// The action, as JSON.
  @usableFromInline let json: [UInt8]

  /// The action's index in the request.
  let index: Int

  // Accessed in the session's serial context only: the atomics satisfy the compiler.
  private let running = Atomic<Int>(0)
  private let hasFailed = Atomic<Bool>(false)
  private let failure = Mutex<(any Error)?>(nil)
  /// The number of sends to each session.
  private let sends = Mutex<[SessionKey: Int]>([:])

  @usableFromInline
  init(_ reply: ActionReply, index: Int, json: [UInt8]) {
    self.reply = reply
    self.index = index
    self.json = json
  }

  /// Returns the action that caused a mutation, or `nil` if none did.
  @usableFromInline
  static func cause(of origin: MutationOrigin) -> ActionEffect? {
    guard case .effect(let effect) = origin else { return nil }
    return effect as? ActionEffect
  }

  /// Increments the number of sends to a session and returns it.
  func nextSend(to session: SessionKey) -> Int {
    func increment(_ count: inout Int) -> Int {
      count += 1
      return count
    }
    return sends.withLock { increment(&$0[session, default: 0]) }
  }

  /// Whether an effect of the action is running.
  var isRunning: Bool {
    running.load(ordering: .relaxed) > 0
  }

  /// Fails the action without executing it, in the serial context.
  @usableFromInline
  func fail(_ error: any Error) {
    begin()
    end(error)
  }

  @usableFromInline
  func answer(then continuation: @escaping @Sendable () -> Void) {
    reply.answer(index)
    reply.session.whenCommitted { if $0 { continuation() } }
  }

  @usableFromInline
  func begin() {
    running.store(running.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  @usableFromInline
  func end(_ error: (any Error)?) {
    if let error {
      failure.withLock { if $0 == nil { $0 = error } }
      if !hasFailed.load(ordering: .relaxed) {
        SessionFailures(session: reply.session).add(error, of: self)
      }
      hasFailed.store(true, ordering: .relaxed)
    }
    let left = running.load(ordering: .relaxed) - 1
    running.store(left, ordering: .relaxed)
    guard left == 0 else { return }
    reply.didEnd(index, hasFailed.load(ordering: .relaxed) ? failure.withLock { $0 } : nil)
  }
}
