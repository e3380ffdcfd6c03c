internal import Synchronization

/// Holds one disposable at a time: a new one ends the one before.
public final class SerialDisposable: Cancelable {
  private struct State {
    var isDisposed = false
    var held: (any Disposable)?
  }

  private let state = Mutex(State())

  /// Makes an empty one.
  public init() {}

  /// Whether this has ended.
  public var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// What is held.
  ///
  /// Setting it ends what was held before; where this has ended, what is set ends.
  public var disposable: (any Disposable)? {
    get { state.withLock { $0.held } }
    set {
      let ended = state.withLock { state -> (any Disposable)? in
        guard !state.isDisposed else { return newValue }
        defer { state.held = newValue }
        return state.held
      }
      ended?.dispose()
    }
  }

  /// Ends what is held, now and later.
  public func dispose() {
    let ended = state.withLock { state -> (any Disposable)? in
      state.isDisposed = true
      return state.held.take()
    }
    ended?.dispose()
  }
}
