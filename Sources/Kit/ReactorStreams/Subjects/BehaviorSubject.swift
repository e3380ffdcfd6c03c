/// A value that changes over time.
///
/// An observer first receives the current value. After the stop event, a new observer receives only
/// the stop event.
public final class BehaviorSubject<Element: Sendable>: SubjectType, Cancelable {
  @usableFromInline let broadcaster: Broadcaster<Element>

  /// Creates a subject with its first value.
  public init(value: Element) {
    broadcaster = Broadcaster(replay: 1, seed: [value], replaysAfterEnd: false)
  }

  /// Returns the value that was sent last.
  ///
  /// Its delivery can still be in progress.
  ///
  /// - Throws: The error with which the subject failed, or ``RxError/disposed``.
  public func value() throws -> Element {
    if case .error(let error) = broadcaster.end { throw error }
    guard let latest = broadcaster.latest else { throw RxError.disposed }
    return latest
  }

  /// Whether there are observers.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Whether the subject was disposed of.
  public var isDisposed: Bool {
    broadcaster.isDisposed
  }

  /// Sends an event to all observers.
  ///
  /// Any thread can call this.
  @inlinable
  public func on(_ event: Event<Element>) {
    broadcaster.send(event)
  }

  /// Adds an observer, which receives the current value immediately.
  ///
  /// - Returns: A disposable that removes the observer.
  @inlinable
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }

  /// Returns this subject as an ``Observable``.
  @inlinable
  public func asObservable() -> Observable<Element> {
    Observable(source: .forwarding { [broadcaster] in broadcaster.subscribe($0) })
  }

  /// Removes all observers without an event.
  ///
  /// Later observers receive ``RxError/disposed``.
  public func dispose() {
    broadcaster.dispose()
  }
}
