/// Forwards the events of one stream after the other.
///
/// When a stream ends, a closure decides between the subscription to a next stream and the
/// forwarding of the stop event. A sequence of streams that end during their subscription is a
/// loop, not a recursion.
package final class SequentialSink<Element: Sendable>: Disposable {
  /// The reaction to a stop event.
  package enum Reaction: Sendable {
    case attach(Observable<Element>)
    case forward(Event<Element>)
  }

  private let context = CurrentSerialContext.value
  private let output: SerialSink<Element>
  private let current = SerialDisposable()
  private let starts = SerialQueue<Observable<Element>>()
  private let react: @Sendable (Event<Element>) -> Reaction

  package init(
    _ downstream: any ObserverType<Element>,
    react: @escaping @Sendable (Event<Element>) -> Reaction
  ) {
    output = SerialSink(downstream)
    self.react = react
    output.hold(current)
  }

  package func attached(to source: Observable<Element>) -> any Disposable {
    starts.post(source, handle: start)
    return output
  }

  package func dispose() {
    output.dispose()
  }

  private func start(_ source: Observable<Element>) {
    guard !current.isDisposed else { return }
    let inner = InnerSink<Element> { [self] event, inner in
      guard event.isStopEvent else { return output.on(event) }
      inner.dispose()
      switch react(event) {
      case .attach(let next): starts.post(next, handle: start)
      case .forward(let end): output.on(end)
      }
    }
    current.disposable = inner
    inner.attach(to: source, in: context)
  }
}
