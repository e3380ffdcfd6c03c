public import ReactorCore
internal import Synchronization

/// A request's actions on their way: counts what still runs, and answers once.
@usableFromInline
final class ActionRequest: Sendable {
  private struct Progress {
    var unfinished: Int
    var lastVersion = 0
    var isRefused = false
    var failure: (index: Int, error: any Error)?
    var completion: (@Sendable (ActionOutcome) -> Void)?
  }

  private let isArray: Bool
  private let progress: Mutex<Progress>
  private let settled: @Sendable (ActionRequest) -> Void

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - count: How many actions it has.
  ///   - isArray: Whether they came as an array, so that a failure names its place.
  ///   - settled: Called once, when nothing of them runs any more.
  ///   - completion: Answers the client.
  init(
    count: Int, isArray: Bool, settled: @escaping @Sendable (ActionRequest) -> Void,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    self.isArray = isArray
    self.settled = settled
    // One more than its actions: the entering itself, so that an empty array settles as well.
    progress = Mutex(Progress(unfinished: count + 1, completion: completion))
  }

  /// The version of the last mutation that the actions caused.
  var lastVersion: Int {
    progress.withLock { $0.lastVersion }
  }

  /// One of the actions caused the mutation of this version.
  func caused(_ version: Int) {
    progress.withLock { $0.lastVersion = version }
  }

  /// The session is at another version than the request expects, and none of its actions is run.
  func refuse(at version: Int) {
    progress.withLock { progress in
      progress.isRefused = true
      progress.lastVersion = version
    }
    settled(self)
  }

  /// All actions were started.
  func entered() {
    finishOne(nil)
  }

  /// Nothing of one action runs any more.
  func finished(_ index: Int, _ error: (any Error)?) {
    finishOne(error.map { (index, $0) })
  }

  /// Answers with the state that contains the actions, or with what failed.
  func answer(_ state: CommittedState) {
    let (completion, isRefused, failure) = progress.withLock { progress in
      (progress.completion.take(), progress.isRefused, progress.failure)
    }
    if isRefused {
      completion?(.mismatch(state))
    } else if let failure {
      completion?(.failed(index: isArray ? failure.index : nil, failure.error))
    } else {
      completion?(.committed(state))
    }
  }

  /// Answers with something else than the actions' own outcome.
  func answer(instead outcome: ActionOutcome) {
    progress.withLock { $0.completion.take() }?(outcome)
  }

  private func finishOne(_ failure: (index: Int, error: any Error)?) {
    let isSettled = progress.withLock { progress in
      if let failure, failure.index < progress.failure?.index ?? .max {
        progress.failure = failure
      }
      progress.unfinished -= 1
      return progress.unfinished == 0
    }
    if isSettled { settled(self) }
  }
}

/// One action of a request, as the pipeline follows it.
@usableFromInline
final class ActionTicket: TrackedEffect {
  /// The request that the action came with.
  let request: ActionRequest

  /// The action, as JSON.
  let json: [UInt8]

  private let index: Int
  private let running = Atomic<Int>(0)
  private let failure = Mutex<(any Error)?>(nil)

  @usableFromInline
  init(_ request: ActionRequest, index: Int, json: [UInt8]) {
    self.request = request
    self.index = index
    self.json = json
  }

  @usableFromInline
  func begin() {
    running.add(1, ordering: .relaxed)
  }

  @usableFromInline
  func end(_ error: (any Error)?) {
    if let error {
      failure.withLock { if $0 == nil { $0 = error } }
    }
    let left = running.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { request.finished(index, failure.withLock { $0 }) }
  }
}
