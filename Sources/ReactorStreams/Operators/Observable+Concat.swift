internal import Synchronization

extension Observable {
  /// The elements of several streams, one stream after the other.
  ///
  /// Each is subscribed to when the one before has completed; a failure ends the row.
  public static func concat(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable { downstream in ConcatSink(downstream, sources).run() }
  }

  /// The elements of several streams, one stream after the other.
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }
}

extension ObservableType {
  /// This stream's elements, then another's.
  public func concat(_ second: Observable<Element>) -> Observable<Element> {
    .concat([asObservable(), second])
  }

  /// Some elements first, then this stream's.
  public func startWith(_ elements: Element...) -> Observable<Element> {
    .concat([.from(elements), asObservable()])
  }
}

/// Subscribes to the next stream when one completes.
private final class ConcatSink<Element: Sendable>: Disposable {
  private let output: SerialSink<Element>
  private let current = SerialDisposable()
  private let rest: Mutex<ArraySlice<Observable<Element>>>
  /// A row of streams that complete at once is walked by a loop, not by nested calls: each
  /// completion posts the next step, and the one that runs takes it up when it returns.
  private let steps = SerialQueue<Void>()

  init(_ downstream: any ObserverType<Element>, _ sources: [Observable<Element>]) {
    output = SerialSink(downstream)
    rest = Mutex(sources[...])
    output.hold(current)
  }

  func run() -> any Disposable {
    advance()
    return self
  }

  func dispose() {
    output.dispose()
  }

  private func advance() {
    steps.post((), handle: subscribeToNext)
  }

  private func subscribeToNext(_: Void) {
    guard let next = rest.withLock({ $0.popFirst() }) else { return output.on(.completed) }
    guard !current.isDisposed else { return }
    current.disposable = next.subscribe(
      AnyObserver { [self] event in
        switch event {
        case .next, .error: output.on(event)
        case .completed: advance()
        }
      })
  }
}
