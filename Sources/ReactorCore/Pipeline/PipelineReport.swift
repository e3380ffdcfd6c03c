/// What a host learns of a pipeline, from within its serial context.
@usableFromInline
package enum PipelineReport<Mutation: Sendable, State: Sendable>: Sendable {
  /// The streams are about to be connected; this is the state that left `transform(state:)` first.
  case connected(State)

  /// A mutation was folded in.
  case reduced(Transition<Mutation, State>)

  /// A stream of the reactor failed; the pipeline goes on.
  case failed(any Error, in: ReactorStage)

  /// One item of the mailbox is done, with all that it caused at once.
  case settled
}

/// What one action started, across everything that `mutate` runs for it.
///
/// Both calls come from within the pipeline's serial context.
@usableFromInline
package protocol TrackedEffect: AnyObject, Sendable {
  /// One more part of the effect runs.
  func begin()

  /// One part has ended: completed, failed, or cancelled with a `CancellationError`. When as many
  /// have ended as have begun, each of the effect's mutations has been reported.
  func end(_ error: (any Error)?)
}

/// Where a mutation came from.
@usableFromInline
package enum MutationOrigin: Sendable {
  /// The effect of an action; `nil` where nobody follows it.
  case effect((any TrackedEffect)?)

  /// A value that sessions share, at one of its revisions.
  case global(name: String, revision: UInt64)

  /// A stream that the reactor merged in.
  case external
}

/// One mutation and what it made of the state.
@usableFromInline
package struct Transition<Mutation: Sendable, State: Sendable>: Sendable {
  @usableFromInline package let mutation: Mutation
  @usableFromInline package let origin: MutationOrigin

  /// The fold of all mutations: what the next `reduce` gets.
  @usableFromInline package let folded: State

  /// What left `transform(state:)` for it.
  @usableFromInline package let shown: State

  @inlinable
  init(mutation: Mutation, origin: MutationOrigin, folded: State, shown: State) {
    self.mutation = mutation
    self.origin = origin
    self.folded = folded
    self.shown = shown
  }
}
