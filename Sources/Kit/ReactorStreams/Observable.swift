/// A stream of elements over time, which each subscription starts again.
///
/// The type and its operators have the names and the behavior of RxSwift, so that a reactor written
/// for ReactorKit needs no change. Two requirements are new, and the compiler checks both: elements
/// are `Sendable` and closures are `@Sendable`, because a stream can emit on any thread.
public final class Observable<Element: Sendable>: ObservableType {
  /// The source of a subscription's events.
  ///
  /// Operators read the elements of `just` and `elements` directly, without a subscription.
  @usableFromInline
  package enum Source: Sendable {
    case elements([Element])
    case just(Element)
    /// Another observable type, such as a subject. It delivers without a trampoline.
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
  /// Unlike ``subscribe(_:)``, this adds no sink: the observer enforces the grammar of events, and
  /// the returned disposable can retain the observer. The end of a chain releases all of its
  /// operators.
  ///
  /// - Parameters:
  ///   - observer: The next operator.
  ///   - sink: The observer itself, if it can emit the elements of a list as a job of the
  ///     trampoline.
  /// - Returns: A disposable that cancels the subscription.
  @usableFromInline
  package func attach(
    _ observer: any ObserverType<Element>, emittingBy sink: SourceSink<Element>? = nil
  ) -> any Disposable {
    switch source {
    case .just(let element): emit(element, to: observer)
    case .elements(let elements):
      guard let sink, !elements.isEmpty else { return emit(elements, to: observer) }
      sink.schedule(elements)
    case .forwarding(let subscribe): return subscribe(observer)
    case .producer(let produce):
      let trampoline = Trampoline.ofCurrentThread
      guard !trampoline.isRunning else { return produce(observer) }
      return trampoline.execute { produce(observer) }
    }
    return Disposables.create()
  }

  // This function and the next one are not inlined: the lookup of the event's type metadata happens
  // only in functions that use it.
  @inline(never)
  private func emit(_ element: Element, to observer: any ObserverType<Element>) {
    observer.on(.next(element))
    observer.on(.completed)
  }

  /// Emits elements before it returns or, while the thread's trampoline is running, as a job of the
  /// trampoline.
  ///
  /// An empty stream needs no step of the trampoline.
  @inline(never)
  private func emit(
    _ elements: [Element], to observer: any ObserverType<Element>
  ) -> any Disposable {
    let trampoline = Trampoline.ofCurrentThread
    guard !trampoline.isRunning || elements.isEmpty else {
      return schedule(elements, for: observer)
    }
    trampoline.execute {
      var position = 0
      while position < elements.count {
        observer.on(.next(elements[position]))
        position += 1
        // An observer has scheduled a job. It is executed next, so the remaining elements become a
        // job as well.
        if !trampoline.isEmpty { return _ = schedule(elements, from: position, for: observer) }
      }
      observer.on(.completed)
    }
    return Disposables.create()
  }

  /// Emits elements as a job of the thread's trampoline.
  @inline(never)
  private func schedule(
    _ elements: [Element], from position: Int = 0, for observer: any ObserverType<Element>
  ) -> any Disposable {
    let emission = Emission(to: observer)
    emission.schedule(elements, from: position)
    return emission
  }

  /// Returns this stream.
  @inlinable
  public func asObservable() -> Observable<Element> {
    self
  }
}
