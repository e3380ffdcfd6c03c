internal import ReactorStreams

/// Delivers the events of a stream in the turns of the serial context in which it is cancelled.
///
/// An event that another thread emits has therefore no effect if the stream is cancelled before the
/// turn of the event.
final class TurnSink<Element: Sendable>: ObserverType, Disposable {
  private let output: SerialSink<Element>
  private let order: TurnOrder

  init(_ downstream: any ObserverType<Element>, in context: any SerialContext) {
    output = SerialSink(downstream)
    order = TurnOrder(in: context)
  }

  func hold(_ disposable: any Disposable) {
    output.hold(disposable)
  }

  func on(_ event: Event<Element>) {
    guard !order.isFree, let context = order.context else { return output.on(event) }
    // The limit is that of the pending mutations of any effect.
    guard order.willEnqueue() <= EffectOverrunError.limit else {
      return output.on(.error(EffectOverrunError()))
    }
    context.enqueue { [self] in
      order.didDequeue()
      output.on(event)
    }
  }

  /// Completes the stream immediately.
  ///
  /// Events that are waiting for their turn are dropped.
  func end() {
    output.on(.completed)
  }

  func dispose() {
    output.dispose()
  }
}
