internal import Synchronization

/// Records whether it was disposed of.
public final class BooleanDisposable: Cancelable {
  private let disposed: Atomic<Bool>

  /// Creates a disposable.
  public init(isDisposed: Bool = false) {
    disposed = Atomic(isDisposed)
  }

  /// Whether this was disposed of.
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Records the disposal.
  public func dispose() {
    disposed.store(true, ordering: .releasing)
  }
}
