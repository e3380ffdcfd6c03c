public import Synchronization

/// The middle of a chain: receives the events of an operator's source, for one subscription.
///
/// Most operators are one closure passed to ``ObservableType/lift(_:)``. The sink adds the common
/// part: nothing is forwarded after a stop event or a disposal, and a failure disposes of the source.
///
/// The closure is inlinable, here and in the operators, so that the module that contains the chain
/// specializes it. Only the calls between two sinks are generic.
@usableFromInline
package final class OperatorSink<Input: Sendable, Output: Sendable>: SourceSink<Input>,
  ObserverType,
  // Proof: the properties are constants that are safe to share.
  Disposable, @unchecked Sendable
{
  @usableFromInline let downstream: any ObserverType<Output>
  @usableFromInline let handle: @Sendable (Event<Input>, OperatorSink) -> Void
  @usableFromInline let stopped = Atomic<Bool>(false)

  @usableFromInline
  package init(
    _ downstream: any ObserverType<Output>,
    handle: @escaping @Sendable (Event<Input>, OperatorSink) -> Void
  ) {
    self.downstream = downstream
    self.handle = handle
  }

  @usableFromInline
  package override var isStopped: Bool {
    stopped.load(ordering: .acquiring)
  }

  @usableFromInline
  package override func on(_ event: Event<Input>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    handle(event, self)
  }

  @inlinable
  package func forward(_ element: Output) {
    guard !stopped.load(ordering: .acquiring) else { return }
    downstream.on(.next(element))
  }

  /// Ends the stream with an error or with the completion, and disposes of the source.
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

  /// Subscribes to the source.
  ///
  /// - Returns: This sink, which disposes of the subscription.
  @inlinable
  func attached(to source: Observable<Input>) -> any Disposable {
    upstream.set(source.attach(self, emittingBy: self))
    return self
  }
}

extension ObservableType {
  /// Creates an operator with state.
  ///
  /// - Parameter begin: Called for each subscription; returns its event handler, which captures the
  ///   subscription's state.
  /// - Returns: The operator's stream.
  @inlinable
  package func lift<Output: Sendable>(
    begin:
      @escaping @Sendable () ->
      @Sendable (Event<Element>, OperatorSink<Element, Output>) ->
      Void
  ) -> Observable<Output> {
    let source = asObservable()
    return Observable { OperatorSink($0, handle: begin()).attached(to: source) }
  }

  /// Creates an operator without state from its handling of elements.
  ///
  /// A stop event is forwarded.
  @inlinable
  package func lift<Output: Sendable>(
    _ next: @escaping @Sendable (Element, OperatorSink<Element, Output>) throws -> Void
  ) -> Observable<Output> {
    let source = asObservable()
    let handle: @Sendable (Event<Element>, OperatorSink<Element, Output>) -> Void = {
      event, sink in
      switch event {
      case .next(let element):
        do { try next(element, sink) } catch { sink.finish(error) }
      case .error(let error): sink.finish(error)
      case .completed: sink.finish()
      }
    }
    return Observable { OperatorSink($0, handle: handle).attached(to: source) }
  }

  /// Creates an operator with state from its handling of elements and of the completion.
  ///
  /// An error is forwarded.
  ///
  /// - Parameters:
  ///   - makeState: Creates the state of one subscription.
  ///   - next: Handles an element.
  ///   - completed: Handles the completion, after which the stream completes.
  /// - Returns: The operator's stream.
  @inlinable
  package func lift<State: Sendable, Output: Sendable>(
    state makeState: @escaping @Sendable () -> State,
    _ next:
      @escaping @Sendable (Element, State, OperatorSink<Element, Output>) throws -> Void,
    completed:
      @escaping @Sendable (State, OperatorSink<Element, Output>) throws -> Void = { _, _ in }
  ) -> Observable<Output> {
    lift {
      let state = makeState()
      return { event, sink in
        do {
          switch event {
          case .next(let element): try next(element, state, sink)
          case .error(let error): sink.finish(error)
          case .completed:
            try completed(state, sink)
            sink.finish()
          }
        } catch {
          sink.finish(error)
        }
      }
    }
  }

  /// Returns this stream without events after a stop event or a disposal.
  package func guarded() -> Observable<Element> {
    lift { element, sink in sink.forward(element) }
  }
}
