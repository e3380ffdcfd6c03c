// Proof: the closure is a constant that is safe to share.
/// Observes one of the streams that an operator flattens; the operator identifies it by reference.
final class InnerSink<Element: Sendable>: SourceSink<Element>, ObserverType, Disposable,
  @unchecked Sendable
{
  private let handle: @Sendable (Event<Element>, InnerSink) -> Void
  private let order: TurnOrder

  /// Creates the observer of a stream.
  ///
  /// - Parameters:
  ///   - gathering: The context in whose turns the events are handled; `nil` handles them on the
  ///     emitting threads.
  ///   - handle: Handles an event.
  init(
    gatheringIn gathering: (any SerialContext)? = nil,
    handle: @escaping @Sendable (Event<Element>, InnerSink) -> Void
  ) {
    order = TurnOrder(in: gathering)
    self.handle = handle
  }

  /// Subscribes to a stream, in the serial context of the flattening operator's subscription.
  func attach(to inner: Observable<Element>, in context: (any SerialContext)?) {
    CurrentSerialContext.restoring(context) { upstream.set(inner.attach(self, emittingBy: self)) }
  }

  override func on(_ event: Event<Element>) {
    guard !order.isFree, let context = order.context else { return handle(event, self) }
    order.willEnqueue()
    context.enqueue { [self] in
      order.didDequeue()
      handle(event, self)
    }
  }

  func dispose() {
    upstream.dispose()
  }
}

extension SerialSink {
  /// Subscribes to another stream of an operator.
  ///
  /// Its error fails the result; its completion only disposes of its own subscription.
  ///
  /// - Parameters:
  ///   - other: The other stream.
  ///   - subscriptions: The operator's subscriptions.
  ///   - onCompleted: Called when the other stream completes.
  ///   - onNext: Called with each element and the subscription.
  package func observe<Other: Sendable>(
    _ other: Observable<Other>, in subscriptions: CompositeDisposable,
    onCompleted: @escaping @Sendable () -> Void = {},
    onNext: @escaping @Sendable (Other, any Disposable) -> Void
  ) {
    let inner = InnerSink<Other> { [self] event, inner in
      switch event {
      case .next(let element): onNext(element, inner)
      case .error(let error): on(.error(error))
      case .completed:
        onCompleted()
        inner.dispose()
      }
    }
    subscriptions.insert(inner)
    inner.attach(to: other, in: nil)
  }
}
