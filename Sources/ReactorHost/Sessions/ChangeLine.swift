internal import Synchronization

/// Changes of one session that happen one after the other, each of which may end later and on
/// another thread than it began.
final class ChangeLine: Sendable {
  /// A change; it calls what it is given once, when the next one may begin.
  typealias Change = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var isBusy = false
    /// Whether somebody walks the line: a row of changes that end at once is walked by a loop, not
    /// by nested calls.
    ///
    /// A flag here and not a `SerialQueue`, which would take 48 bytes more of each session.
    var isWalked = false
    var waiting: [Change] = []

    mutating func beginWalking() -> Bool {
      defer { isWalked = true }
      return !isWalked
    }

    /// The change that begins now; where there is none, whoever walked has stopped.
    mutating func next() -> Change? {
      guard !isBusy, !waiting.isEmpty else {
        isWalked = false
        return nil
      }
      isBusy = true
      return waiting.removeFirst()
    }
  }

  private let state = Mutex(State())

  /// Makes a change now, or when those before it are done.
  func enter(_ change: @escaping Change) {
    state.withLock { $0.waiting.append(change) }
    advance()
  }

  private func advance() {
    guard state.withLock({ $0.beginWalking() }) else { return }
    while let change = state.withLock({ $0.next() }) {
      change { [self] in
        state.withLock { $0.isBusy = false }
        advance()
      }
    }
  }
}
