/// A stream that is also an observer: it sends the events that it receives to its current
/// observers.
///
/// After the stop event, a new observer receives only the stop event.
public final class PublishSubject<Element: Sendable>: SubjectType, Cancelable {
  @usableFromInline let broadcaster = Broadcaster<Element>(replay: 0)

  /// Creates a subject.
  public init() {}

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

  /// Adds an observer.
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
