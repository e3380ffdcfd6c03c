/// A value over time: an observer gets the current one first.
///
/// One who subscribes after the end gets just the end.
public final class BehaviorSubject<Element: Sendable>: SubjectType, Disposable {
  private let broadcaster: Broadcaster<Element>

  /// Makes a subject with its first value.
  public init(value: Element) {
    broadcaster = Broadcaster(replay: 1, seed: [value], replaysAfterEnd: false)
  }

  /// The value that was sent last, which those who observe may be about to get.
  ///
  /// - Throws: The error with which the subject failed, or ``RxError/disposed``.
  public func value() throws -> Element {
    if case .error(let error) = broadcaster.end { throw error }
    guard let latest = broadcaster.latest else { throw RxError.disposed }
    return latest
  }

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an event to all observers; any thread may call.
  public func on(_ event: Event<Element>) {
    broadcaster.send(event)
  }

  /// Adds an observer, which gets the current value at once.
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
