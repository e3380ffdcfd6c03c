public import ReactorStreams
internal import Synchronization

/// A subject that sends only its last element, when it completes.
///
/// An observer that subscribes after the completion receives that element as well.
public final class AsyncSubject<Element: Sendable>: SubjectType, Cancelable {
  private let last = Mutex<Element?>(nil)
  private let broadcaster = Broadcaster<Element>(replay: 1)

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

  /// Stores an element, or sends the last element and the completion.
  ///
  /// Any thread can call this.
  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element):
      guard broadcaster.end == nil else { return }
      _ = last.withLock { $0.swap(with: element) }
    case .error: broadcaster.send(event)
    case .completed:
      if let element = last.withLock({ $0.take() }) { broadcaster.send(.next(element)) }
      broadcaster.send(.completed)
    }
  }

  /// Adds an observer.
  ///
  /// - Returns: A disposable that removes the observer.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    broadcaster.subscribe(observer)
  }

  /// Removes all observers without an event.
  ///
  /// Later observers receive `RxError.disposed`.
  public func dispose() {
    broadcaster.dispose()
  }
}
