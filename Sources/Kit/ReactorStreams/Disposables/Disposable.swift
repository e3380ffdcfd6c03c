internal import Synchronization

/// A resource that can be released: a subscription, a timer, an effect.
public protocol Disposable: Sendable {
  /// Releases the resource. Later calls do nothing. Any thread can call this.
  func dispose()
}

/// Creates disposables.
public enum Disposables {
  private static let none = NoDisposable()

  /// Returns a disposable that does nothing.
  public static func create() -> any Disposable {
    none
  }

  /// Returns a disposable that calls a closure once.
  public static func create(with action: @escaping @Sendable () -> Void) -> any Cancelable {
    ActionDisposable(action)
  }

  /// Returns a disposable that disposes of several disposables.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    CompositeDisposable(disposables)
  }

  /// Returns a disposable that disposes of several disposables.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    CompositeDisposable(disposables)
  }
}

private struct NoDisposable: Disposable {
  func dispose() {}
}

private final class ActionDisposable: Cancelable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  var isDisposed: Bool {
    action.withLock { $0 == nil }
  }

  func dispose() {
    action.withLock { $0.take() }?()
  }
}
