/// A stream that is fed by hand and remembers: an observer gets the last elements first, after the
/// end too, which follows them then.
public final class ReplaySubject<Element: Sendable>: SubjectType, Disposable {
  private let broadcaster: Broadcaster<Element>

  private init(bufferSize: Int) {
    broadcaster = Broadcaster(replay: bufferSize)
  }

  /// Makes a subject that remembers so many elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(bufferSize: bufferSize)
  }

  /// Makes a subject that remembers every element.
  ///
  /// Its memory grows with each: keep it for streams that end soon.
  public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(bufferSize: .max)
  }

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an event to all observers; any thread may call.
  public func on(_ event: Event<Element>) {
    broadcaster.send(event)
  }

  /// Adds an observer, which gets what is remembered at once.
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
