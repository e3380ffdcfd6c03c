/// Holds one disposable, which may come after this has ended, and is ended then.
public final class SingleAssignmentDisposable: Cancelable {
  private let slot = DisposableSlot()

  /// Makes an empty one.
  public init() {}

  /// Whether this has ended.
  public var isDisposed: Bool {
    slot.isDisposed
  }

  /// Puts the disposable in; the first one is kept and any later one is ended at once.
  public func setDisposable(_ disposable: any Disposable) {
    if !slot.setOnce(disposable) { disposable.dispose() }
  }

  /// Ends what is held, now or when it comes.
  public func dispose() {
    slot.dispose()
  }
}
