public import ReactorStreams
internal import Synchronization

/// Receives what `mutate` returned for one action, on whatever thread it emits.
@usableFromInline
final class EffectSink<Action: Sendable, Mutation: Sendable, State: Sendable>: ObserverType {
  @usableFromInline typealias Element = Mutation

  let effect: (any TrackedEffect)?
  let context: EffectContext
  private let pipeline: Pipeline<Action, Mutation, State>
  private let upstream = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let waiting = Atomic<Int>(0)

  init(
    _ effect: (any TrackedEffect)?, _ context: EffectContext,
    in pipeline: Pipeline<Action, Mutation, State>
  ) {
    self.effect = effect
    self.context = context
    self.pipeline = pipeline
  }

  func hold(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  @usableFromInline
  func on(_ event: Event<Mutation>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    if event.isStopEvent { stopped.store(true, ordering: .releasing) }

    // At once where the running item caused it, unless something earlier still waits.
    if waiting.load(ordering: .acquiring) == 0 {
      let taken = pipeline.ifOwned { contents in
        guard contents.canFoldNow else { return false }
        contents.receive(event, from: self)
        return true
      }
      if taken == true { return }
    }

    let count = waiting.add(1, ordering: .acquiringAndReleasing).newValue
    guard count <= EffectOverrunError.limit else {
      stopped.store(true, ordering: .releasing)
      upstream.dispose()
      pipeline.post(.effect(self, .error(EffectOverrunError())))
      return
    }
    pipeline.post(.effect(self, event))
  }

  /// One of the events that waited in the mailbox is being handled.
  func wasTaken() {
    waiting.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// Ends the effect; nothing more is received from it.
  func cancel() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
  }
}

/// An effect emitted so much faster than its mutations could be folded in that it was ended.
public struct EffectOverrunError: Error, CustomStringConvertible {
  /// How many mutations of one effect may wait.
  public static let limit = 65_536

  /// What happened, and what to do.
  public var description: String {
    """
    The effect emitted more than \(Self.limit) mutations ahead of the session. \
    Emit fewer, or wait between them.
    """
  }
}
