internal import Synchronization

/// Something that can be ended: a subscription, a timer, an effect.
public protocol Disposable: Sendable {
  /// Ends it. Later calls do nothing; any thread may call.
  func dispose()
}

extension Disposable {
  /// Ends this when the bag goes away.
  public func disposed(by bag: DisposeBag) {
    bag.insert(self)
  }
}

/// Makes disposables.
public enum Disposables {
  private static let none = NoDisposable()

  /// One that does nothing.
  public static func create() -> any Disposable {
    none
  }

  /// One that runs a closure, once.
  public static func create(with action: @escaping @Sendable () -> Void) -> any Disposable {
    ActionDisposable(action)
  }

  /// One that ends several.
  public static func create(_ disposables: any Disposable...) -> any Disposable {
    CompositeDisposable(disposables)
  }

  /// One that ends several.
  public static func create(_ disposables: [any Disposable]) -> any Disposable {
    CompositeDisposable(disposables)
  }
}

private struct NoDisposable: Disposable {
  func dispose() {}
}

private final class ActionDisposable: Disposable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  func dispose() {
    action.withLock { $0.take() }?()
  }
}
