/// Holds one disposable.
///
/// A disposable that is set after the disposal is disposed of immediately.
public final class SingleAssignmentDisposable: Cancelable {
  private let slot = DisposableSlot()

  /// Creates an empty disposable.
  public init() {}

  /// Whether this was disposed of.
  public var isDisposed: Bool {
    slot.isDisposed
  }

  /// Sets the disposable.
  ///
  /// Only the first call sets it; later disposables are disposed of immediately.
  public func setDisposable(_ disposable: any Disposable) {
    if !slot.setOnce(disposable) { disposable.dispose() }
  }

  /// Disposes of the held disposable, or of a disposable that is set later.
  public func dispose() {
    slot.dispose()
  }
}
