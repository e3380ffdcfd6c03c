/// What a host learns of a pipeline. Every call comes from within the pipeline's serial context.
package protocol PipelineDelegate<Mutation, State>: AnyObject, Sendable {
  associatedtype Mutation: Sendable
  associatedtype State: Sendable

  /// A mutation was folded in.
  func pipelineDidReduce(_ transition: Transition<Mutation, State>)

  /// Nothing of this effect runs any more: each of its mutations was reported before.
  func pipelineDidFinish(_ effect: EffectID, error: (any Error)?)

  /// A stream of the reactor failed; the pipeline goes on.
  func pipelineDidFail(_ error: any Error, in stage: ReactorStage)

  /// One item of the mailbox is done, with all that it caused at once.
  func pipelineDidSettle()
}

/// Names what one action started, across everything that `mutate` runs for it.
package struct EffectID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }

  /// Effects whose action nobody waits for.
  package static let untracked = EffectID(number: 0)
}

/// Where a mutation came from.
package enum MutationOrigin: Sendable {
  /// The effect of an action.
  case effect(EffectID)

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
