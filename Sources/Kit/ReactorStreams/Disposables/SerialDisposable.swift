internal import Synchronization

/// Holds one disposable at a time.
///
/// Setting another disposable disposes of the previous one.
public final class SerialDisposable: Cancelable {
  private struct State {
    var isDisposed = false
    var held: (any Disposable)?
  }

  private let state = Mutex(State())

  /// Creates an empty disposable.
  public init() {}

  /// Whether this was disposed of.
  public var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// The held disposable.
  ///
  /// Setting it disposes of the previous disposable. After the disposal, it disposes of the new
  /// disposable.
  public var disposable: (any Disposable)? {
    get { state.withLock { $0.held } }
    set {
      let replaced = state.withLock { state -> (any Disposable)? in
        guard !state.isDisposed else { return newValue }
        defer { state.held = newValue }
        return state.held
      }
      replaced?.dispose()
    }
  }

  /// Disposes of the held disposable and of those that are set later.
  public func dispose() {
    let held = state.withLock { state -> (any Disposable)? in
      state.isDisposed = true
      return state.held.take()
    }
    held?.dispose()
  }
}
