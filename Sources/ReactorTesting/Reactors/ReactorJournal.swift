internal import ReactorCore
internal import Synchronization

/// Something that a reactor did and a test must expect.
enum ReactorOccurrence<State: Sendable>: Sendable {
  case state(State)
  case failure(any Error, ReactorStage)
}

/// What a reactor did that no expectation has taken yet, in order.
final class ReactorJournal<State: Sendable>: Sendable {
  private struct Contents {
    var occurrences: [ReactorOccurrence<State>] = []
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let contents = Mutex(Contents())

  /// What the next expectation is about.
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

  /// Waits for as long as a condition holds, which is looked at whenever the reactor did something.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait in all.
  ///   - condition: Given what the next expectation is about.
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
        // Looked at again where nothing can come in between.
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

  /// Notes what the pipeline tells.
  func note(_ report: PipelineReport<some Sendable, State>) {
    switch report {
    case .connected, .reduced: break
    case .failed(let error, let stage): add(.failure(error, stage))
    case .settled: wake()
    }
  }
}
