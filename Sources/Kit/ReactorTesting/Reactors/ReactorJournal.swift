internal import ReactorCore
internal import Synchronization

/// A state or an error of a reactor.
///
/// A test must expect it.
enum ReactorOccurrence<State: Sendable>: Sendable {
  case state(State)
  case failure(any Error, ReactorStage)
}

/// The states and errors that no expectation has consumed yet, in order.
final class ReactorJournal<State: Sendable>: Sendable {
  private struct Contents {
    var occurrences: [ReactorOccurrence<State>] = []
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let contents = Mutex(Contents())

  /// The next occurrence to be expected.
  var first: ReactorOccurrence<State>? {
    contents.withLock { $0.occurrences.first }
  }

  func takeFirst() -> ReactorOccurrence<State>? {
    contents.withLock { $0.occurrences.isEmpty ? nil : $0.occurrences.removeFirst() }
  }

  func add(_ occurrence: ReactorOccurrence<State>) {
    contents.withLock { $0.occurrences.append(occurrence) }
  }

  func forgetStates() {
    contents.withLock { contents in
      contents.occurrences.removeAll { if case .state = $0 { true } else { false } }
    }
  }

  /// Waits while a condition holds.
  ///
  /// The condition is evaluated after each turn of the reactor.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait.
  ///   - condition: Receives the next occurrence to be expected.
  func wait(
    for timeout: Duration,
    while condition: @escaping @Sendable (ReactorOccurrence<State>?) -> Bool
  ) async {
    let isOver = Atomic(false)
    let alarm = Task { [weak self] in
      try await Task.sleep(for: timeout)
      isOver.store(true, ordering: .releasing)
      self?.wake()
    }
    defer { alarm.cancel() }
    while !isOver.load(ordering: .acquiring), condition(first) {
      await withCheckedContinuation { continuation in
        // Evaluate the condition again under the lock, so that no turn is missed.
        let hasChanged = contents.withLock { contents in
          guard condition(contents.occurrences.first), !isOver.load(ordering: .acquiring) else {
            return true
          }
          contents.waiting = continuation
          return false
        }
        if hasChanged { continuation.resume() }
      }
    }
  }

  private func wake() {
    contents.withLock { $0.waiting.take() }?.resume()
  }

  /// Records a report of the pipeline.
  func note(_ report: PipelineReport<some Sendable, State>) {
    switch report {
    case .connected, .reduced, .turnBegan: break
    case .failed(let error, let stage, _): add(.failure(error, stage))
    case .turnEnded: wake()
    }
  }
}
