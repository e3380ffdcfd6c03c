public import ReactorStreams

/// A stream of states that can be set and that does not end.
///
/// An observer receives the current state first.
public final class StateRelay<Element: Sendable>: ObservableType {
  private let states: BehaviorRelay<Element>

  /// The stream that ``asObservable()`` returns.
  private let stream: Observable<Element>

  /// Creates a relay with its initial state.
  public init(value: Element) {
    let states = BehaviorRelay(value: value)
    self.states = states
    stream = states.asObservable()
  }

  /// The state that was set last.
  ///
  /// Any thread can set it. Observers are notified before the setter returns, unless another
  /// notification is in progress.
  public var value: Element {
    get { states.value }
    set { states.accept(newValue) }
  }

  /// Sets the state.
  public func accept(_ event: Element) {
    states.accept(event)
  }

  /// Adds an observer, which receives the current state immediately.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    states.subscribe(observer)
  }

  /// Returns this relay as an `Observable`.
  public func asObservable() -> Observable<Element> {
    stream
  }
}
