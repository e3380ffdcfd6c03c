internal import Synchronization

/// A place for one subscription that may end before it is known: an element that arrives while
/// `subscribe` still runs can stop the chain before there is anything to dispose.
package struct DisposableSlot: ~Copyable, Sendable {
  enum State {
    case empty
    case holding(any Disposable)
    case disposed
  }

  private let state = Mutex(State.empty)

  package init() {}

  /// Puts a disposable in, or ends it at once where the slot was disposed before.
  ///
  /// What the slot held is replaced without being ended.
  package borrowing func set(_ disposable: any Disposable) {
    let isDisposed = state.withLock { state in
      if case .disposed = state { return true }
      state = .holding(disposable)
      return false
    }
    if isDisposed { disposable.dispose() }
  }

  /// Puts a disposable in if the slot is empty.
  ///
  /// - Returns: Whether it was taken.
  package borrowing func setOnce(_ disposable: any Disposable) -> Bool {
    state.withLock { state in
      guard case .empty = state else { return false }
      state = .holding(disposable)
      return true
    }
  }

  /// Whether the slot was disposed.
  package var isDisposed: Bool {
    borrowing get {
      state.withLock { state in
        if case .disposed = state { true } else { false }
      }
    }
  }

  /// Ends what the slot holds, now or when it comes.
  package borrowing func dispose() {
    let held = state.withLock { state -> (any Disposable)? in
      defer { state = .disposed }
      guard case .holding(let disposable) = state else { return nil }
      return disposable
    }
    held?.dispose()
  }
}
