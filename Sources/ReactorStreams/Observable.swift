/// A stream of elements over time that starts anew for each subscription.
///
/// The type and its operators have the names and the behavior of RxSwift, so that a reactor written
/// for ReactorKit needs no change. Two requirements are new, and the compiler checks both: elements
/// are `Sendable` and closures are `@Sendable`, because a stream may emit on any thread.
public final class Observable<Element: Sendable>: ObservableType {
  /// How a subscription produces its events.
  ///
  /// Operators read `just` and `elements` in place, without a subscription.
  @usableFromInline
  package enum Source: Sendable {
    case elements([Element])
    case just(Element)
    /// Another observable type, such as a subject, which delivers without a trampoline.
    case forwarding(@Sendable (any ObserverType<Element>) -> any Disposable)
    case producer(@Sendable (any ObserverType<Element>) -> any Disposable)
  }

  @usableFromInline
  package let source: Source

  @inlinable
  package init(source: Source) {
    self.source = source
  }

  /// Creates a stream from the work of one subscription.
  ///
  /// Operators are built on this. It does not enforce the grammar of events; ``create(_:)`` does.
  @inlinable
  package convenience init(
    _ produce: @escaping @Sendable (any ObserverType<Element>) -> any Disposable
  ) {
    self.init(source: .producer(produce))
  }

  /// Starts the stream for an observer.
  ///
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe(_ observer: any ObserverType<Element>) -> any Disposable {
    TerminalSink.subscribe(self) { event, sink in
      if event.isStopEvent { sink.end { observer.on(event) } } else { observer.on(event) }
    }
  }

  /// Starts the stream for the next operator of a chain.
  ///
  /// Unlike ``subscribe(_:)``, this adds nothing: the observer enforces the grammar of events, and
  /// the returned disposable may retain it. Only the end of a chain releases everything.
  @usableFromInline
  package func attach(_ observer: any ObserverType<Element>) -> any Disposable {
    switch source {
    case .just(let element):
      observer.on(.next(element))
      observer.on(.completed)
      return Disposables.create()
    case .elements(let elements):
      guard !elements.isEmpty else {
        observer.on(.completed)
        return Disposables.create()
      }
      let emission = Emission(elements, to: observer)
      Trampoline.ofCurrentThread.schedule(emission)
      return emission
    case .forwarding(let subscribe): return subscribe(observer)
    case .producer(let produce):
      let trampoline = Trampoline.ofCurrentThread
      guard !trampoline.isRunning else { return produce(observer) }
      return trampoline.run { produce(observer) }
    }
  }

  /// This stream.
  @inlinable
  public func asObservable() -> Observable<Element> {
    self
  }
}
