package import ReactorStreams

/// The effects of a child reactor: one that is executed by its parent, and whose State is a part of
/// the parent's State.
///
/// The parent calls the child's functions in its own serial context, and returns the child's streams
/// among its own. ``adopt(_:)`` sets the child's `currentState`.
///
/// Within the scope, `cancellable(id:)` and `cancel(id:)` apply to the effects of the child only.
@usableFromInline
package final class ChildScope: Sendable {
  fileprivate let cancellations = CancellationScope()

  /// Creates the scope of one child.
  package init() {}

  /// Ends all streams of the child as if they had completed.
  ///
  /// Streams that begin later complete immediately.
  package func end() {
    cancellations.end()
  }
}

extension Observable {
  /// Returns this stream as a part of a child's effects.
  ///
  /// For streams that a parent returns from `mutate` or `follow`; elsewhere it has no effect.
  @usableFromInline
  package func inScope(_ scope: ChildScope) -> Observable<Element> {
    Observable { [self] downstream in
      guard let effect = EffectContext.current?.effect else { return attach(downstream) }
      let child = ChildEffectContext(effect, scope.cancellations)
      let sink = TurnSink(downstream, in: child)
      let entry = scope.cancellations.enter(
        CancellationID(WholeChild()), made: effect.started, started: effect.started,
        cancelsInFlight: false
      ) { [weak sink] in
        sink?.end()
      }
      guard let entry else {
        downstream.on(.completed)
        return Disposables.create()
      }
      let subscription = CurrentSerialContext.$value.withValue(child) { attach(sink) }
      sink.hold(
        Disposables.create(
          subscription, Disposables.create { scope.cancellations.leave(entry) }))
      return sink
    }
  }
}

/// The cancellation id of all streams of a child.
private struct WholeChild: Hashable, Sendable {}

/// The serial context of a child's streams, which are a part of one effect of the parent.
final class ChildEffectContext: SerialContext {
  let effect: EffectContext
  let cancellations: CancellationScope

  init(_ effect: EffectContext, _ cancellations: CancellationScope) {
    self.effect = effect
    self.cancellations = cancellations
  }

  var timer: any SchedulerType {
    effect.timer
  }

  var isCurrent: Bool {
    effect.isCurrent
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    effect.enqueue { [self] in CurrentSerialContext.$value.withValue(self, operation: work) }
  }
}

extension EffectContext {
  /// The effect that is being subscribed to, and the scope of its cancellation ids, or `nil` outside of
  /// effects.
  static var current: (effect: EffectContext, cancellations: CancellationScope)? {
    switch CurrentSerialContext.value {
    case let effect as EffectContext: (effect, effect.cancellations)
    case let child as ChildEffectContext: (child.effect, child.cancellations)
    default: nil
    }
  }
}

extension Observable {
  /// Returns a stream of elements that a closure creates in the serial context of the subscription.
  ///
  /// If the subscription starts during a turn, the elements are created and emitted in that turn,
  /// otherwise in a turn of their own. No other mutation is reduced between their creation and
  /// their emission.
  ///
  /// - Parameter elements: Called once per subscription; an error fails the stream.
  /// - Returns: The stream.
  package static func inTurn(
    _ elements: @escaping @Sendable () throws -> [Element]
  ) -> Observable<Element> {
    Observable { downstream in
      inTurn(with: downstream) { sink in
        do {
          for element in try elements() { sink.on(.next(element)) }
          sink.on(.completed)
        } catch {
          sink.on(.error(error))
        }
      }
    }
  }

  /// Returns the stream that a closure creates in the serial context of the subscription, see
  /// ``inTurn(_:)``.
  ///
  /// If the subscription starts during a turn, the synchronous elements are emitted before the
  /// subscription returns, even within another subscription.
  @usableFromInline
  package static func deferredInTurn(
    _ stream: @escaping @Sendable () -> Observable<Element>
  ) -> Observable<Element> {
    Observable { downstream in
      inTurn(with: downstream) { sink in
        sink.hold(Trampoline.isolated { stream().attach(sink) })
      }
    }
  }

  private static func inTurn(
    with downstream: any ObserverType<Element>,
    _ body: @escaping @Sendable (SerialSink<Element>) -> Void
  ) -> any Disposable {
    let sink = SerialSink(downstream)
    if let context = CurrentSerialContext.value, !context.isCurrent {
      context.enqueue { body(sink) }
    } else {
      body(sink)
    }
    return sink
  }
}
