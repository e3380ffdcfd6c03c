public import Synchronization

/// The middle of a chain: receives what an operator's source emits, once for each subscription.
///
/// Most operators are one closure given to ``ObservableType/lift(_:)``; the sink adds what they all
/// need: nothing is forwarded after an end or a disposal, and a failure ends the source as well.
///
/// What the closure does is inlinable, here and in the operators, so that it knows the types of its
/// elements in the module that writes the chain. Only the way from one sink to the next is generic.
@usableFromInline
package final class OperatorSink<Input: Sendable, Output: Sendable>: ObserverType, Disposable {
  @usableFromInline let downstream: any ObserverType<Output>
  @usableFromInline let handle: @Sendable (Event<Input>, OperatorSink) -> Void
  @usableFromInline let stopped = Atomic<Bool>(false)
  private let upstream = DisposableSlot()

  @usableFromInline
  init(
    _ downstream: any ObserverType<Output>,
    handle: @escaping @Sendable (Event<Input>, OperatorSink) -> Void
  ) {
    self.downstream = downstream
    self.handle = handle
  }

  @usableFromInline
  package func on(_ event: Event<Input>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    handle(event, self)
  }

  /// Sends an element on.
  @inlinable
  package func forward(_ element: Output) {
    guard !stopped.load(ordering: .acquiring) else { return }
    downstream.on(.next(element))
  }

  /// Ends the stream: completes it, or fails it where there is an error.
  ///
  /// The source is ended too.
  @usableFromInline
  package func finish(_ error: (any Error)? = nil) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(error.map { .error($0) } ?? .completed)
    upstream.dispose()
  }

  @usableFromInline
  package func dispose() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
  }

  @usableFromInline
  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }
}

extension ObservableType {
  /// Makes an operator from what it does with each event of this stream.
  ///
  /// - Parameter begin: Called once for each subscription; returns its handler, whose captured
  ///   state thereby belongs to that subscription alone.
  /// - Returns: The operator.
  @inlinable
  package func lift<Output: Sendable>(
    begin:
      @escaping @Sendable () ->
      @Sendable (Event<Element>, OperatorSink<Element, Output>) ->
      Void
  ) -> Observable<Output> {
    Observable { downstream in
      let sink = OperatorSink(downstream, handle: begin())
      sink.hold(subscribe(sink))
      return sink
    }
  }

  /// Makes an operator without state from what it does with each element; the end passes through.
  @inlinable
  package func lift<Output: Sendable>(
    _ next: @escaping @Sendable (Element, OperatorSink<Element, Output>) throws -> Void
  ) -> Observable<Output> {
    lift {
      { event, sink in
        switch event {
        case .next(let element):
          do { try next(element, sink) } catch { sink.finish(error) }
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }

  /// This stream, whose subscription ends with it and which emits nothing once it was disposed of.
  func guarded() -> Observable<Element> {
    lift { element, sink in sink.forward(element) }
  }
}
