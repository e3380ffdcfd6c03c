/// Holds one disposable, which is disposed of at once if it is set after the disposal.
public final class SingleAssignmentDisposable: Cancelable {
  private let slot = DisposableSlot()

  /// Creates an empty disposable.
  public init() {}

  /// Whether this was disposed of.
  public var isDisposed: Bool {
    slot.isDisposed
  }

  /// Sets the disposable; a second one is disposed of at once.
  public func setDisposable(_ disposable: any Disposable) {
    if !slot.setOnce(disposable) { disposable.dispose() }
  }

  /// Disposes of the held disposable, or of the one that is set later.
  public func dispose() {
    slot.dispose()
  }
}
