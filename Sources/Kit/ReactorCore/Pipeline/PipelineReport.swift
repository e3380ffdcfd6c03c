/// An event that a pipeline reports to its host, in the serial context.
@usableFromInline
package enum PipelineReport<Mutation: Sendable, State: Sendable>: Sendable {
  /// The streams are being connected. The associated value is the first state that
  /// `transform(state:)` has emitted.
  case connected(State)

  /// A mutation was folded.
  case reduced(Transition<Mutation, State>)

  /// A stream of the reactor failed; the pipeline continues. The last value is the tracker of the
  /// effect that failed.
  case failed(any Error, in: ReactorStage, of: (any TrackedEffect)?)

  /// An item of the mailbox that is not the host's work is about to be handled. The associated
  /// value is the tracker of its effect, or `nil` if the effect is not tracked or a stream of the
  /// reactor emitted the item.
  case turnBegan((any TrackedEffect)?)

  /// An item of the mailbox and its synchronous consequences are done.
  case turnEnded
}

/// The origin of a mutation.
@usableFromInline
package enum MutationOrigin: Sendable {
  /// The effect of an action, or `nil` if it is not tracked.
  case effect((any TrackedEffect)?)

  /// A value from outside of the reactor: of a global, or another session's State.
  ///
  /// If it is applied, the State has its mutations already: actions and mutations that it causes are
  /// dropped.
  case global(name: String, revision: UInt64, isApplied: Bool)

  /// A stream that the reactor merged into its mutations.
  case external

  /// Whether the State has the mutations of this origin already.
  @usableFromInline var isApplied: Bool {
    if case .global(_, _, isApplied: true) = self { true } else { false }
  }
}

/// A mutation and the state after it.
@usableFromInline
package struct Transition<Mutation: Sendable, State: Sendable>: Sendable {
  @usableFromInline package let mutation: Mutation
  @usableFromInline package let origin: MutationOrigin

  /// The state that `transform(state:)` has emitted for the mutation.
  @usableFromInline package let shown: State

  @inlinable
  init(mutation: Mutation, origin: MutationOrigin, shown: State) {
    self.mutation = mutation
    self.origin = origin
    self.shown = shown
  }
}
