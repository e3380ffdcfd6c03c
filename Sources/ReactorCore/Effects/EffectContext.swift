internal import ReactorStreams

/// What the streams of one effect find where they are subscribed to: the reactor's serial context, and
/// what can be cancelled in it.
///
/// It is bound as the current serial context while a stream that `mutate` returned is subscribed to.
/// Tasks inherit it; what a scheduler brings back through it finds it again.
final class EffectContext: SerialContext {
  let cancellations: CancellationScope

  /// When the effect was started, in the order of ``CancellationMoment``.
  let started = CancellationMoment.next()

  let timer: any SchedulerType
  private let request = RequestContext.current
  private let base: any SerialContext

  /// Makes the context of an effect that starts now.
  init(_ base: any SerialContext, cancellations: CancellationScope) {
    self.base = base
    self.cancellations = cancellations
    // Virtual time, where whoever sent the action runs in it.
    timer = CurrentSerialContext.value?.timer ?? base.timer
  }

  var isCurrent: Bool {
    base.isCurrent
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    base.perform { [self] in
      CurrentSerialContext.$value.withValue(self) {
        RequestContext.$current.withValue(request, operation: work)
      }
    }
  }
}
