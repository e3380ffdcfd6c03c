public import ReactorStreams
internal import Synchronization

/// Disposes of a resource after this disposable and all disposables of ``retain()`` were disposed
/// of.
public final class RefCountDisposable: Cancelable {
  private struct State {
    var count = 0
    var isPrimaryDisposed = false
    var resource: (any Disposable)?

    /// Returns the resource, once, if it is no longer used.
    mutating func takeIfUnused() -> (any Disposable)? {
      isPrimaryDisposed && count == 0 ? resource.take() : nil
    }
  }

  private let state: Mutex<State>

  /// Creates a counter for a resource.
  public init(disposable: any Disposable) {
    state = Mutex(State(resource: disposable))
  }

  /// Whether the resource was disposed of.
  public var isDisposed: Bool {
    state.withLock { $0.resource == nil }
  }

  /// Adds a use of the resource.
  ///
  /// - Returns: A disposable that ends the use. It does nothing if the resource was disposed of.
  public func retain() -> any Disposable {
    let isAlive = state.withLock { state in
      guard state.resource != nil else { return false }
      state.count += 1
      return true
    }
    guard isAlive else { return Disposables.create() }
    return Disposables.create { [self] in
      change { $0.count -= 1 }
    }
  }

  /// Ends the primary use.
  public func dispose() {
    change { $0.isPrimaryDisposed = true }
  }

  private func change(_ change: (inout State) -> Void) {
    let unused = state.withLock { state in
      change(&state)
      return state.takeIfUnused()
    }
    unused?.dispose()
  }
}
