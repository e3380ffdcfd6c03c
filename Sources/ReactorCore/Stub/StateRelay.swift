public import ReactorStreams

/// A state over time that can be set, and that does not end.
///
/// An observer gets the current one first.
public final class StateRelay<Element: Sendable>: ObservableType {
  private let states: BehaviorRelay<Element>

  /// What ``asObservable()`` gives, the same each time.
  private let stream: Observable<Element>

  /// Makes a relay with its first state.
  public init(value: Element) {
    let states = BehaviorRelay(value: value)
    self.states = states
    stream = states.asObservable()
  }

  /// The state that was set last.
  ///
  /// Any thread may set it; observers are told before that returns, unless others are being told.
  public var value: Element {
    get { states.value }
    set { states.accept(newValue) }
  }

  /// Sets the state.
  public func accept(_ event: Element) {
    states.accept(event)
  }

  /// Adds an observer, which gets the current state at once.
  ///
  /// - Returns: What takes it out again.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    states.subscribe(observer)
  }

  /// This as an `Observable`.
  public func asObservable() -> Observable<Element> {
    stream
  }
}
