/// A stream of elements over time: described when it is made, run once for each subscription.
///
/// The type and its operators carry the names and the behaviour of RxSwift, so that a reactor
/// written for ReactorKit reads the same here. What differs is checked by the compiler: elements
/// are `Sendable` and closures are `@Sendable`, because a stream may emit on any thread.
public final class Observable<Element: Sendable>: ObservableType {
  /// How a subscription is run.
  ///
  /// The ready-made forms spare their reader the subscription.
  @usableFromInline
  package enum Source: Sendable {
    case elements([Element])
    case just(Element)
    case producer(@Sendable (any ObserverType<Element>) -> any Disposable)
  }

  @usableFromInline
  package let source: Source

  @inlinable
  package init(source: Source) {
    self.source = source
  }

  /// Makes a stream from what a subscription does.
  ///
  /// Operators are built with this; it does not guard the grammar of events, which ``create(_:)``
  /// does.
  @inlinable
  package convenience init(
    _ produce: @escaping @Sendable (any ObserverType<Element>) -> any Disposable
  ) {
    self.init(source: .producer(produce))
  }

  /// Runs the stream for an observer.
  ///
  /// - Returns: What ends the subscription.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    switch source {
    case .just(let element):
      observer.on(.next(element))
      observer.on(.completed)
      return Disposables.create()
    case .elements(let elements):
      // The sink that subscribed drops what comes after it was disposed.
      for element in elements { observer.on(.next(element)) }
      observer.on(.completed)
      return Disposables.create()
    case .producer(let produce):
      return produce(observer)
    }
  }
}
