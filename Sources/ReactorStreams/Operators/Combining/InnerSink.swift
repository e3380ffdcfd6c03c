// Proof: the closure is a constant that is safe to share.
/// Observes one of the streams that an operator flattens; the operator identifies it by reference.
final class InnerSink<Element: Sendable>: SourceSink<Element>, ObserverType, Disposable,
  @unchecked Sendable
{
  private let handle: @Sendable (Event<Element>, InnerSink) -> Void

  init(handle: @escaping @Sendable (Event<Element>, InnerSink) -> Void) {
    self.handle = handle
  }

  /// Subscribes to a stream, in the serial context of the flattening operator's subscription.
  func attach(to inner: Observable<Element>, in context: (any SerialContext)?) {
    CurrentSerialContext.restoring(context) { upstream.set(inner.attach(self, emittingBy: self)) }
  }

  override func on(_ event: Event<Element>) {
    handle(event, self)
  }

  func dispose() {
    upstream.dispose()
  }
}
