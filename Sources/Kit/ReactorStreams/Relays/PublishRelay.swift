/// A ``PublishSubject`` that cannot end.
public final class PublishRelay<Element: Sendable>: ObservableType {
  @usableFromInline let broadcaster = Broadcaster<Element>(replay: 0)

  /// Creates a relay.
  public init() {}

  /// Whether there are observers.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an element to all observers.
  ///
  /// Any thread can call this.
  @inlinable
  public func accept(_ event: Element) {
    broadcaster.send(.next(event))
  }

  /// Adds an observer.
  ///
  /// - Returns: A disposable that removes the observer.
  @inlinable
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }

  /// Returns this relay as an ``Observable``.
  @inlinable
  public func asObservable() -> Observable<Element> {
    Observable(source: .forwarding { [broadcaster] in broadcaster.subscribe($0) })
  }
}
