/// Observes one of the streams that an operator flattens, and knows itself by identity.
final class InnerSink<Element: Sendable>: ObserverType, Disposable {
  private let handle: @Sendable (Event<Element>, InnerSink) -> Void
  private let upstream = DisposableSlot()

  init(handle: @escaping @Sendable (Event<Element>, InnerSink) -> Void) {
    self.handle = handle
  }

  /// Subscribes, in the serial context of who flattens.
  func run(_ inner: Observable<Element>, in context: (any SerialContext)?) {
    CurrentSerialContext.restoring(context) { upstream.set(inner.subscribe(self)) }
  }

  func on(_ event: Event<Element>) {
    handle(event, self)
  }

  func dispose() {
    upstream.dispose()
  }
}
