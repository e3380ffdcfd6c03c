public import ReactorCore
internal import Synchronization

/// A request's actions on their way: counts what still runs, and answers once.
@usableFromInline
final class ActionRequest: Sendable {
  private struct Progress {
    var failure: (index: Int, error: any Error)?
    var accepted: (@Sendable (CommittedState) -> Void)?
    var completion: (@Sendable (ActionOutcome) -> Void)?
    var running: [ActionTicket] = []
    /// What the journal has of its actions.
    var journal: [AcceptedAction.ID: AcceptedAction] = [:]
  }

  /// What names the request, so that it is not done again; `nil` where its client does not care.
  let key: IdempotencyKey?

  /// Whether the actions came as an array, so that a failure names its place.
  let isArray: Bool

  let session: LiveSession
  private let progress: Mutex<Progress>
  // What every action comes by is not behind the lock.
  private let unfinished: Atomic<Int>
  private let version = Atomic<Int>(0)
  private let refused = Atomic<Bool>(false)
  /// Whether no effect went on, so that nothing of the actions is behind the lock but the failures.
  private let isPlain = Atomic<Bool>(true)

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - count: How many actions it has.
  ///   - isArray: Whether they came as an array.
  ///   - key: What names it.
  ///   - session: Told when an action of the journal has ended, and once when nothing of the request
  ///     runs any more.
  ///   - accepted: Called where an effect goes on, once that is durable.
  ///   - completion: Answers the client.
  init(
    count: Int, isArray: Bool, key: IdempotencyKey? = nil, in session: LiveSession,
    accepted: (@Sendable (CommittedState) -> Void)? = nil,
    completion: (@Sendable (ActionOutcome) -> Void)?
  ) {
    self.isArray = isArray
    self.key = key
    self.session = session
    // One more than its actions: the entering itself, so that an empty array settles as well.
    unfinished = Atomic(count + 1)
    progress = Mutex(Progress(accepted: accepted, completion: completion))
  }

  /// The version of the last mutation that the actions caused.
  ///
  /// It is set, and read when nothing runs any more, under the lock of the session's book.
  var lastVersion: Int {
    version.load(ordering: .relaxed)
  }

  /// One of the actions caused the mutation of this version.
  func caused(_ version: Int) {
    self.version.store(version, ordering: .relaxed)
  }

  /// The session is at another version than the request expects, and none of its actions is run.
  func refuse(at version: Int) {
    refused.store(true, ordering: .relaxed)
    self.version.store(version, ordering: .relaxed)
    session.settle(self)
  }

  /// Whether none of its actions was run.
  var isRefused: Bool {
    refused.load(ordering: .relaxed)
  }

  /// An action was started.
  @usableFromInline
  func started(_ ticket: ActionTicket) {
    guard ticket.isRunning else { return }
    isPlain.store(false, ordering: .relaxed)
    progress.withLock { $0.running.append(ticket) }
  }

  /// Takes out the actions whose effects go on after all were started; a later one may have ended an earlier
  /// one.
  func takeRunning() -> [ActionTicket] {
    guard !isPlain.load(ordering: .relaxed) else { return [] }
    return progress.withLock { progress in
      defer { progress.running = [] }
      return progress.running.filter(\.isRunning)
    }
  }

  /// All actions were started.
  func entered() {
    finishOne(nil, nil)
  }

  /// Nothing of one action runs any more.
  func finished(_ index: Int, _ error: (any Error)?) {
    finishOne(index, error)
  }

  // MARK: The journal

  /// The journal has these actions of the request, or is to have them.
  func journalled(_ actions: [AcceptedAction]) {
    isPlain.store(false, ordering: .relaxed)
    progress.withLock { progress in
      for action in actions {
        progress.journal[action.id] = action
        if let failure = action.failure, action.id.place < progress.failure?.index ?? .max {
          progress.failure = (action.id.place, failure.error)
        }
      }
    }
  }

  /// Takes out of the journal an action that has ended.
  ///
  /// - Returns: What the journal is to have in its place while others of the request go on; `nil`
  ///   for nothing.
  func endJournalled(_ id: AcceptedAction.ID, _ error: (any Error)?) -> AcceptedAction? {
    progress.withLock { progress in
      guard let error, var action = progress.journal[id] else {
        progress.journal[id] = nil
        return nil
      }
      action.failure = ActionFailure(index: id.place, error)
      progress.journal[id] = action
      return action
    }
  }

  /// What the journal has of the request, by now of no use.
  var journal: [AcceptedAction.ID] {
    guard !isPlain.load(ordering: .relaxed) else { return [] }
    return progress.withLock { Array($0.journal.keys) }
  }

  /// The first failure, as it is kept.
  var failure: ActionFailure? {
    progress.withLock { $0.failure }.map {
      ActionFailure(index: isArray ? $0.index : nil, $0.error)
    }
  }

  // MARK: Answering

  /// Says that an effect goes on, and that the end of the process cannot take it back.
  func acknowledge(_ state: CommittedState) {
    progress.withLock { $0.accepted.take() }?(state)
  }

  /// Answers with the state that contains the actions, or with what failed.
  func answer(_ state: CommittedState) {
    // Not as results of the closure: a function would be wrapped to come out of generic code.
    var completion: (@Sendable (ActionOutcome) -> Void)?
    let failure = progress.withLock { progress in
      completion = progress.completion.take()
      return progress.failure
    }
    if isRefused {
      completion?(.mismatch(state))
    } else if let failure {
      completion?(
        .failed(index: isArray ? failure.index : nil, failure.error, at: state.cursor))
    } else {
      completion?(.committed(state))
    }
  }

  /// Answers with something else than the actions' own outcome.
  func answer(instead outcome: ActionOutcome) {
    progress.withLock { $0.completion.take() }?(outcome)
  }

  private func finishOne(_ index: Int?, _ error: (any Error)?) {
    let journalled = journalled(index, error)
    if unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      session.settle(self)
    } else if let journalled {
      session.ended(journalled, of: self, error)
    }
  }

  /// Puts down how an action ended.
  ///
  /// - Returns: What the journal has of it; mostly nothing, since an action that ends at once has no
  ///   need of the journal.
  private func journalled(_ index: Int?, _ error: (any Error)?) -> AcceptedAction.ID? {
    guard let index, error != nil || !isPlain.load(ordering: .relaxed) else { return nil }
    return progress.withLock { progress in
      if let error, index < progress.failure?.index ?? .max { progress.failure = (index, error) }
      return progress.journal.keys.first { $0.place == index }
    }
  }
}

/// One action of a request, as the pipeline follows it.
@usableFromInline
final class ActionTicket: TrackedEffect {
  /// The request that the action came with.
  let request: ActionRequest

  /// The action, as JSON.
  let json: [UInt8]

  /// Its place in the request.
  let index: Int

  // Only turns of the session touch these, one after the other: what is atomic about them is for the
  // compiler.
  private let running = Atomic<Int>(0)
  private let hasFailed = Atomic<Bool>(false)
  private let failure = Mutex<(any Error)?>(nil)

  @usableFromInline
  init(_ request: ActionRequest, index: Int, json: [UInt8]) {
    self.request = request
    self.index = index
    self.json = json
  }

  /// Whether an effect of the action goes on.
  var isRunning: Bool {
    running.load(ordering: .relaxed) > 0
  }

  @usableFromInline
  func begin() {
    running.store(running.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  @usableFromInline
  func end(_ error: (any Error)?) {
    if let error {
      failure.withLock { if $0 == nil { $0 = error } }
      hasFailed.store(true, ordering: .relaxed)
    }
    let left = running.load(ordering: .relaxed) - 1
    running.store(left, ordering: .relaxed)
    guard left == 0 else { return }
    request.finished(index, hasFailed.load(ordering: .relaxed) ? failure.withLock { $0 } : nil)
  }
}
