internal import ReactorStreams
internal import Synchronization

/// The serial context of one effect.
///
/// It is the current serial context during the subscription to a stream that `mutate` or `follow`
/// returned. Tasks inherit it. Work that a scheduler enqueues in it is executed with it as the
/// current context.
final class EffectContext: SerialContext {
  let cancellations: CancellationScope

  /// The start of the effect, as a ``CancellationMoment``.
  let started = CancellationMoment.next()

  /// The start of the effect, in milliseconds since 1970.
  let startedAt = WallClock.milliseconds

  let timer: any SchedulerType

  /// The tracker of the action, or `nil` if it is not tracked.
  let tracked: (any TrackedEffect)?

  /// The request that started the effect.
  let request = RequestContext.current

  private let base: any EffectTurns & ProgressObserver & TimerOwner & HostedReactorContext
  private let over = Atomic<Bool>(false)

  /// Creates the context of an effect that starts now.
  init(
    _ base: any EffectTurns & ProgressObserver & TimerOwner & HostedReactorContext,
    cancellations: CancellationScope, tracked: (any TrackedEffect)?
  ) {
    self.base = base
    self.tracked = tracked
    self.cancellations = cancellations
    // If the sender of the action uses virtual time, the effect uses it as well.
    timer = CurrentSerialContext.value?.timer ?? base.timer
  }

  /// The identifier of the effect.
  var id: EffectID {
    EffectID(started: started)
  }

  var isCurrent: Bool {
    base.isCurrent
  }

  /// Whether the effect has ended.
  ///
  /// The progress that it reports afterwards is ignored.
  var isOver: Bool {
    over.load(ordering: .relaxed)
  }

  /// Marks the effect as ended; called by the observer of its progress.
  func end() {
    over.store(true, ordering: .relaxed)
  }

  /// Reports the progress of the effect.
  func report(_ fraction: Double) {
    guard !fraction.isNaN else { return }
    base.effect(self, reached: min(1, max(0, fraction)))
  }

  /// Changes a timer of the reactor; ignored after the end of the effect.
  func change(
    _ change: TimerChange, _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard !isOver else { return completion(nil) }
    base.change(change, on: timer, completion)
  }

  /// Calls a closure with the host's serial context, see ``HostedReactorContext``.
  func withHostContext(_ body: @escaping @Sendable ((any SerialContext)?) -> Void) {
    base.withHostContext(body)
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    base.enqueue(for: tracked) { [self] in
      CurrentSerialContext.$value.withValue(self) {
        RequestContext.$current.withValue(request, operation: work)
      }
    }
  }
}

/// Executes the work of effects in turns of their reactor.
protocol EffectTurns: SerialContext {
  /// Enqueues work in a turn that a host attributes to an effect.
  func enqueue(for effect: (any TrackedEffect)?, _ work: @escaping @Sendable () -> Void)
}

/// Observes the progress of effects.
protocol ProgressObserver: AnyObject, Sendable {
  /// Called on any thread when an effect has reached a fraction of its work.
  func effect(_ effect: EffectContext, reached fraction: Double)
}

/// The effect that executes the current code, as a host sees it.
package struct RunningEffectContext {
  private let effect: EffectContext

  /// The tracker of its action, or `nil` if it is not tracked.
  package var tracked: (any TrackedEffect)? { effect.tracked }

  /// The request that started it.
  package var request: RequestContext? { effect.request }

  /// Calls a closure in a turn of the reactor: immediately in the serial context, otherwise in a turn
  /// of its own.
  ///
  /// - Parameter body: Called with the serial context in which the host has connected the reactor, or
  ///   `nil` without a host.
  package func withHostContext(_ body: @escaping @Sendable ((any SerialContext)?) -> Void) {
    effect.withHostContext(body)
  }

  /// Enqueues work of the effect in a turn of the reactor.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    effect.enqueue(work)
  }

  /// The current effect, or `nil` outside of effects.
  package static var current: RunningEffectContext? {
    guard let (effect, _) = EffectContext.current else { return nil }
    return RunningEffectContext(effect: effect)
  }
}

/// Knows the serial context in which a host has connected its reactor.
protocol HostedReactorContext: AnyObject, Sendable {
  /// Calls a closure with that context: immediately if called in the serial context, otherwise in a
  /// turn of its own.
  func withHostContext(_ body: @escaping @Sendable ((any SerialContext)?) -> Void)
}

/// Changes the timers of its reactor.
protocol TimerOwner: AnyObject, Sendable {
  /// Changes a timer: immediately if called in the serial context, otherwise in a turn of its own.
  ///
  /// The completion is called with the error if the change is rejected: in the serial context or,
  /// if the change is invalid, immediately on the calling thread.
  func change(
    _ change: TimerChange, on clock: any SchedulerType,
    _ completion: @escaping @Sendable ((any Error)?) -> Void)
}
