/// A ``ReplaySubject`` that cannot end.
public final class ReplayRelay<Element: Sendable>: ObservableType {
  @usableFromInline let broadcaster: Broadcaster<Element>

  private init(bufferSize: Int) {
    broadcaster = Broadcaster(replay: bufferSize)
  }

  /// Creates a relay that stores a number of elements.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(bufferSize: bufferSize)
  }

  /// Creates a relay that stores all elements.
  ///
  /// Its memory grows with each element.
  public static func createUnbound() -> ReplayRelay<Element> {
    ReplayRelay(bufferSize: .max)
  }

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

  /// Adds an observer, which receives the stored elements immediately.
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
