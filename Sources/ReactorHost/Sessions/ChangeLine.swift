internal import ReactorStreams
internal import Synchronization

/// Changes of one session that happen one after the other, each of which may end later and on
/// another thread than it began.
final class ChangeLine: Sendable {
  /// A change; it calls what it is given once, when the next one may begin.
  typealias Change = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var isBusy = false
    var waiting: [Change] = []
  }

  private let state = Mutex(State())
  /// A row of changes that end at once is walked by a loop, not by nested calls.
  private let steps = SerialQueue<Void>()

  /// Makes a change now, or when those before it are done.
  func enter(_ change: @escaping Change) {
    state.withLock { $0.waiting.append(change) }
    advance()
  }

  private func advance() {
    steps.post((), handle: beginNext)
  }

  private func beginNext(_: Void) {
    let change = state.withLock { state -> Change? in
      guard !state.isBusy, !state.waiting.isEmpty else { return nil }
      state.isBusy = true
      return state.waiting.removeFirst()
    }
    change? { [self] in
      state.withLock { $0.isBusy = false }
      advance()
    }
  }
}
