/// A ``BehaviorSubject`` that cannot end: it always has a value.
public final class BehaviorRelay<Element: Sendable>: ObservableType {
  private let broadcaster: Broadcaster<Element>
  private let initial: Element

  /// Makes a relay with its first value.
  public init(value: Element) {
    initial = value
    broadcaster = Broadcaster(replay: 1, seed: [value])
  }

  /// The value that was accepted last.
  public var value: Element {
    broadcaster.latest ?? initial
  }

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Takes a value and sends it to all observers; any thread may call.
  public func accept(_ event: Element) {
    broadcaster.send(.next(event))
  }

  /// Adds an observer, which gets the current value at once.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }
}
