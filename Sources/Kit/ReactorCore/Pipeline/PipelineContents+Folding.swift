public import ReactorStreams

/// Mutations become states.
extension PipelineContents {
  @inlinable
  func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    let outer = self.origin
    self.origin = origin
    body()
    self.origin = outer
  }

  /// Sends a mutation through `transform(mutation:)`.
  @inlinable
  func emit(_ mutation: Mutation) {
    if let mutationStage, !mutationStage.passesThrough {
      mutationStage.send(mutation, in: context ?? pipeline)
    } else {
      mutationEmitted(mutation)
    }
  }

  /// `transform(mutation:)` has emitted a mutation in the serial context.
  @inlinable
  func mutationEmitted(_ mutation: Mutation) {
    if canFoldNow {
      fold(mutation)
    } else {
      pipeline?.post(mutation, from: origin, for: .current)
    }
  }

  @inlinable
  func fold(_ mutation: Mutation) {
    guard let reactor, let state = folded else { return }
    let isAccepted = folding {
      let next = reactor.reduce(state: state, mutation: mutation)
      folded = next
      // Without a state stage, report the mutation before the state is emitted: the state of a
      // rejected mutation must not be emitted.
      if stateStage == nil, let error = report(mutation, shown: next) {
        folded = state
        reject(error)
        return false
      }
      emitState(next)
      guard stateStage != nil,
        let error = report(mutation, shown: pipeline?.currentState ?? next)
      else { return true }
      folded = state
      emitState(state)
      reject(error)
      return false
    }
    if let follower, isAccepted { follow(mutation, follower) }
  }

  @inlinable
  func report(_ mutation: Mutation, shown: State) -> (any Error)? {
    report?(.reduced(Transition(mutation: mutation, origin: origin, shown: shown)))
  }

  /// Fails the action of a mutation that the host has rejected.
  @usableFromInline
  func reject(_ error: any Error) {
    report(error, in: .mutate)
    guard case .effect(let effect?) = origin else { return }
    effect.begin()
    effect.end(error)
  }

  /// Sends a state through `transform(state:)`.
  @inlinable
  func emitState(_ state: State) {
    if let stateStage, !stateStage.passesThrough {
      stateStage.send(state, in: context ?? pipeline)
    } else {
      show(state)
    }
  }

  @inlinable
  func folding<Result>(_ body: () -> Result) -> Result {
    let outer = phase
    phase = .folding
    let result = body()
    phase = outer
    return result
  }

  /// `transform(state:)` has emitted a state in the serial context.
  @inlinable
  func show(_ state: State) {
    if let states = pipeline?.setShown(state) { publish(state, to: states) }
  }

  @usableFromInline
  func publish(_ state: State, to states: Broadcaster<State>) {
    folding { states.send(.next(state)) }
  }
}
