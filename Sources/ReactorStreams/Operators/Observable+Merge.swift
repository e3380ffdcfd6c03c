internal import Synchronization

extension ObservableType {
  /// The elements of the streams that a closure makes from each element, as they come.
  public func flatMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Observable<Result>
  ) -> Observable<Result> {
    map(transform).merge()
  }
}

extension ObservableType {
  /// The elements of all inner streams, as they come.
  ///
  /// It completes when the outer stream and every inner one has; the first failure fails it.
  public func merge<Inner: Sendable>() -> Observable<Inner>
  where Element == Observable<Inner> {
    Observable<Inner> { downstream in MergeSink(downstream).run(self) }
  }
}

extension Observable {
  /// The elements of several streams, as they come.
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable<Observable<Element>>.from(sources).merge()
  }

  /// The elements of several streams, as they come.
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

/// Subscribes to each inner stream as it comes and puts the elements of all in one row.
private final class MergeSink<Inner: Sendable>: Disposable {
  private let output: SerialSink<Inner>
  private let running = CompositeDisposable()
  private let unfinished = Atomic<Int>(1)  // the outer stream, and each inner one

  init(_ downstream: any ObserverType<Inner>) {
    output = SerialSink(downstream)
    output.hold(running)
  }

  func run(_ outer: some ObservableType<Observable<Inner>>) -> any Disposable {
    running.insert(
      outer.subscribe(
        AnyObserver { [self] event in
          switch event {
          case .next(let inner): begin(inner)
          case .error(let error): output.on(.error(error))
          case .completed: finishOne()
          }
        }))
    return self
  }

  func dispose() {
    output.dispose()
  }

  private func begin(_ inner: Observable<Inner>) {
    unfinished.add(1, ordering: .relaxed)
    let subscription = SerialDisposable()
    guard let key = running.insert(subscription) else { return }
    subscription.disposable = inner.subscribe(
      AnyObserver { [self] event in
        switch event {
        case .next, .error: output.on(event)
        case .completed:
          running.remove(for: key)
          finishOne()
        }
      })
  }

  private func finishOne() {
    let left = unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { output.on(.completed) }
  }
}
