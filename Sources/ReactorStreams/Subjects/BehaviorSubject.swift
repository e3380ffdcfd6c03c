internal import Synchronization

/// A value over time: an observer gets the current one first.
public final class BehaviorSubject<Element: Sendable>: ObservableType, ObserverType {
  private let broadcaster: Broadcaster<Element>
  private let latest: Mutex<Result<Element, any Error>>

  /// Makes a subject with its first value.
  public init(value: Element) {
    broadcaster = Broadcaster(replay: 1, seed: [value])
    latest = Mutex(.success(value))
  }

  /// The current value.
  ///
  /// - Throws: The error with which the subject failed.
  public func value() throws -> Element {
    try latest.withLock { $0 }.get()
  }

  /// Whether anyone observes.
  public var hasObservers: Bool {
    broadcaster.observerCount > 0
  }

  /// Sends an event to all observers; any thread may call.
  public func on(_ event: Event<Element>) {
    latest.withLock { latest in
      guard case .success = latest else { return }
      switch event {
      case .next(let element): latest = .success(element)
      case .error(let error): latest = .failure(error)
      case .completed: break
      }
    }
    broadcaster.send(event)
  }

  /// Adds an observer, which gets the current value at once.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }
}
