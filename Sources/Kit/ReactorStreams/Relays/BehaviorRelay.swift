/// A ``BehaviorSubject`` that cannot end.
public final class BehaviorRelay<Element: Sendable>: ObservableType {
  @usableFromInline let broadcaster: Broadcaster<Element>
  private let initial: Element

  /// Creates a relay with its first value.
  public init(value: Element) {
    initial = value
    broadcaster = Broadcaster(replay: 1, seed: [value])
  }

  /// The value that was accepted last.
  public var value: Element {
    broadcaster.latest ?? initial
  }

  /// Whether there are observers.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends a value to all observers.
  ///
  /// Any thread can call this.
  @inlinable
  public func accept(_ event: Element) {
    broadcaster.send(.next(event))
  }

  /// Adds an observer, which receives the current value immediately.
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
