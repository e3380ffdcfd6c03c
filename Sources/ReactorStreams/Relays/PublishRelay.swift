/// A ``PublishSubject`` that cannot end: it takes elements only.
public final class PublishRelay<Element: Sendable>: ObservableType {
  private let broadcaster = Broadcaster<Element>(replay: 0)

  /// Makes a relay.
  public init() {}

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an element to all observers; any thread may call.
  public func accept(_ event: Element) {
    broadcaster.send(.next(event))
  }

  /// Adds an observer.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }
}
