/// What a host learns of a pipeline.
///
/// Every call comes from within the pipeline's serial context.
package protocol PipelineDelegate<Mutation, State>: AnyObject, Sendable {
  associatedtype Mutation: Sendable
  associatedtype State: Sendable

  /// The streams are about to be connected; this is the state that left `transform(state:)` first.
  func pipelineDidConnect(_ shown: State)

  /// A mutation was folded in.
  func pipelineDidReduce(_ transition: Transition<Mutation, State>)

  /// A stream of the reactor failed; the pipeline goes on.
  func pipelineDidFail(_ error: any Error, in stage: ReactorStage)

  /// One item of the mailbox is done, with all that it caused at once.
  func pipelineDidSettle()
}

/// What one action started, across everything that `mutate` runs for it.
///
/// Both calls come from within the pipeline's serial context.
package protocol TrackedEffect: AnyObject, Sendable {
  /// One more part of the effect runs.
  func begin()

  /// One part has ended: completed, failed, or cancelled with a `CancellationError`. When as many
  /// have ended as have begun, each of the effect's mutations has been reported.
  func end(_ error: (any Error)?)
}

/// Where a mutation came from.
package enum MutationOrigin: Sendable {
  /// The effect of an action; `nil` where nobody follows it.
  case effect((any TrackedEffect)?)

  /// A value that sessions share, at one of its revisions.
  case global(name: String, revision: UInt64)

  /// A stream that the reactor merged in.
  case external
}

/// One mutation and what it made of the state.
package struct Transition<Mutation: Sendable, State: Sendable>: Sendable {
  package let mutation: Mutation
  package let origin: MutationOrigin

  /// The fold of all mutations: what the next `reduce` gets.
  package let folded: State

  /// What left `transform(state:)` for it.
  package let shown: State
}
