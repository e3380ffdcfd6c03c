/// A subject that stores its last elements.
///
/// An observer first receives the stored elements, and then the stop event if one was sent.
public final class ReplaySubject<Element: Sendable>: SubjectType, Cancelable {
  @usableFromInline let broadcaster: Broadcaster<Element>

  private init(bufferSize: Int) {
    broadcaster = Broadcaster(replay: bufferSize)
  }

  /// Creates a subject that stores a number of elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(bufferSize: bufferSize)
  }

  /// Creates a subject that stores all elements.
  ///
  /// Its memory grows with each element, so it is for streams that end soon.
  public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(bufferSize: .max)
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

  /// Adds an observer, which receives the stored elements immediately.
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
