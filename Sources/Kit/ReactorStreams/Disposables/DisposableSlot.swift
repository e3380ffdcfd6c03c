internal import Synchronization

/// Holds a subscription that can be disposed of before it is stored: an element that arrives during
/// `subscribe` can end the chain before `subscribe` returns the disposable.
@usableFromInline
package struct DisposableSlot: ~Copyable, Sendable {
  enum State {
    case empty
    case holding(any Disposable)
    case disposed
  }

  private let state = Mutex(State.empty)

  package init() {}

  /// Stores a disposable, or disposes of it immediately if the slot was disposed of.
  ///
  /// A previous disposable is replaced, but not disposed of.
  @usableFromInline
  package borrowing func set(_ disposable: any Disposable) {
    let isDisposed = state.withLock { state in
      if case .disposed = state { return true }
      state = .holding(disposable)
      return false
    }
    if isDisposed { disposable.dispose() }
  }

  /// Stores a disposable if the slot is empty.
  ///
  /// - Returns: Whether it was stored.
  package borrowing func setOnce(_ disposable: any Disposable) -> Bool {
    state.withLock { state in
      guard case .empty = state else { return false }
      state = .holding(disposable)
      return true
    }
  }

  /// Whether the slot was disposed of.
  package var isDisposed: Bool {
    borrowing get {
      state.withLock { state in
        if case .disposed = state { true } else { false }
      }
    }
  }

  /// Disposes of the stored disposable, or of a disposable that is stored later.
  package borrowing func dispose() {
    let held = state.withLock { state -> (any Disposable)? in
      defer { state = .disposed }
      guard case .holding(let disposable) = state else { return nil }
      return disposable
    }
    held?.dispose()
  }
}
