/// A stream that is fed by hand: an observer gets what comes after it subscribed.
///
/// One who subscribes after the end gets just the end.
public final class PublishSubject<Element: Sendable>: SubjectType, Disposable {
  @usableFromInline let broadcaster = Broadcaster<Element>(replay: 0)

  /// Makes a subject.
  public init() {}

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an event to all observers; any thread may call.
  @inlinable
  public func on(_ event: Event<Element>) {
    broadcaster.send(event)
  }

  /// Adds an observer.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }

  /// Lets all observers go without a word; whoever subscribes later gets ``RxError/disposed``.
  public func dispose() {
    broadcaster.dispose()
  }
}
