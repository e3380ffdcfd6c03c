public import ReactorStreams
internal import Synchronization

/// The observer of a stream that `mutate` or `follow` returned.
///
/// The stream can emit on any thread.
@usableFromInline
final class EffectSink<Action: Sendable, Mutation: Sendable, State: Sendable>: ObserverType {
  @usableFromInline typealias Element = Mutation

  let effect: (any TrackedEffect)?
  let context: EffectContext

  /// Whether `follow` returned the stream.
  let isFollowing: Bool

  private let pipeline: Pipeline<Action, Mutation, State>
  private let upstream = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let pending = Atomic<Int>(0)

  init(
    _ effect: (any TrackedEffect)?, _ context: EffectContext, isFollowing: Bool,
    in pipeline: Pipeline<Action, Mutation, State>
  ) {
    self.effect = effect
    self.context = context
    self.isFollowing = isFollowing
    self.pipeline = pipeline
  }

  func retain(_ disposable: any Disposable) {
    upstream.set(disposable)
  }

  @usableFromInline
  func on(_ event: Event<Mutation>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    if event.isStopEvent { stopped.store(true, ordering: .releasing) }

    // An event that the current item emits is handled immediately, unless an earlier event of the
    // effect is in the mailbox.
    if pending.load(ordering: .acquiring) == 0 {
      let isHandled = pipeline.ifOwned { contents in
        guard contents.canFoldNow else { return false }
        contents.receive(event, from: self)
        return true
      }
      if isHandled == true { return }
    }

    let count = pending.add(1, ordering: .acquiringAndReleasing).newValue
    guard count <= EffectOverrunError.limit else {
      stopped.store(true, ordering: .releasing)
      upstream.dispose()
      pipeline.post(.effect(self, .error(EffectOverrunError())))
      return
    }
    pipeline.post(.effect(self, event))
  }

  /// One of the pending events was dequeued.
  func didDequeue() {
    pending.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// Ends the effect.
  ///
  /// Later events are ignored.
  func cancel() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
  }
}
