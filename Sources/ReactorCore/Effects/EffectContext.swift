internal import ReactorStreams
internal import Synchronization

/// What the streams of one effect find where they are subscribed to: the reactor's serial context, and
/// what can be cancelled in it.
///
/// It is bound as the current serial context while a stream that `mutate` returned is subscribed to.
/// Tasks inherit it; what a scheduler brings back through it finds it again.
final class EffectContext: SerialContext {
  let cancellations: CancellationScope

  /// When the effect was started, in the order of ``CancellationMoment``.
  let started = CancellationMoment.next()

  /// When that was, in milliseconds since 1970.
  let startedAt = WallClock.milliseconds

  let timer: any SchedulerType

  /// The request that started the effect, for what it does and for whoever is told of its failure.
  let request = RequestContext.current

  private let base: any SerialContext & ProgressKeeper
  private let over = Atomic<Bool>(false)

  /// Makes the context of an effect that starts now.
  init(_ base: any SerialContext & ProgressKeeper, cancellations: CancellationScope) {
    self.base = base
    self.cancellations = cancellations
    // Virtual time, where whoever sent the action runs in it.
    timer = CurrentSerialContext.value?.timer ?? base.timer
  }

  /// What names the effect.
  var id: EffectID {
    EffectID(started: started)
  }

  var isCurrent: Bool {
    base.isCurrent
  }

  /// Whether the effect has ended, so that nothing it tells counts.
  var isOver: Bool {
    over.load(ordering: .relaxed)
  }

  /// The effect has ended.
  ///
  /// Whoever keeps the progress calls this.
  func end() {
    over.store(true, ordering: .relaxed)
  }

  /// Tells how far the effect has come.
  func report(_ fraction: Double) {
    guard !fraction.isNaN else { return }
    base.effect(self, reached: min(1, max(0, fraction)))
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    base.perform { [self] in
      CurrentSerialContext.$value.withValue(self) {
        RequestContext.$current.withValue(request, operation: work)
      }
    }
  }
}

/// Knows how far the effects have come that tell it.
protocol ProgressKeeper: AnyObject, Sendable {
  /// An effect has come so far; any thread may call.
  func effect(_ effect: EffectContext, reached fraction: Double)
}
