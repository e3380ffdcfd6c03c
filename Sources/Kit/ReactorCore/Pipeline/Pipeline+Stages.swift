public import ReactorStreams
internal import Synchronization

/// The outputs of the stages. Most outputs are emitted by the current item, on its thread, and are
/// handled immediately. A stream that the reactor merged in can emit on any thread; its events are
/// enqueued. While an output of a stage waits, the later outputs of that stage are enqueued as well.
extension Pipeline {
  @usableFromInline
  func actionStageDid(_ event: Event<Action>) {
    switch event {
    case .next(let action):
      let isHandled = ifOwned { contents in
        contents.canFoldNow && contents.actionEmitted(action)
      }
      if isHandled != true { post(action, as: nil, for: nil) }
    case .error(let error): stageDidFail(.transformAction, error)
    case .completed: post(.stageCompleted(.transformAction))
    }
  }

  @usableFromInline
  func mutationStageDid(_ event: Event<Mutation>) {
    switch event {
    case .next(let mutation):
      let isHandled: Void? = ifOwned { contents in
        guard !contents.origin.isApplied else { return }
        if waitingMutations.load(ordering: .acquiring) == 0 {
          contents.mutationEmitted(mutation)
        } else {
          post(mutation, from: contents.origin, for: .current)
        }
      }
      if isHandled == nil { post(mutation, from: .external, for: nil) }
    case .error(let error): stageDidFail(.transformMutation, error)
    case .completed: post(.stageCompleted(.transformMutation))
    }
  }

  @usableFromInline
  func stateStageDid(_ event: Event<State>) {
    switch event {
    case .next(let state):
      let isHandled = ifOwned { contents in
        guard waitingStates.load(ordering: .acquiring) == 0 else { return false }
        contents.show(state)
        return true
      }
      if isHandled != true {
        waitingStates.add(1, ordering: .acquiringAndReleasing)
        post(.shownState(state))
      }
    case .error(let error): stageDidFail(.transformState, error)
    case .completed: post(.stageCompleted(.transformState))
    }
  }

  /// Enqueues an action that `transform(action:)` has emitted.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - effect: Tracks its effects, or returns `nil` outside of the serial context.
  ///   - request: The request of the current item, or `nil` outside of the serial context, where the
  ///     current request is that of another reactor.
  func post(_ action: Action, as effect: (any TrackedEffect)?, for request: CarriedRequest?) {
    effect?.begin()
    waitingActions.add(1, ordering: .acquiringAndReleasing)
    post(.transformedAction(action, effect, request))
  }

  /// Enqueues a mutation that `transform(mutation:)` has emitted.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - origin: Its origin, without an effect outside of the serial context.
  ///   - request: The request of the current item, or `nil` outside of the serial context.
  @usableFromInline
  func post(_ mutation: Mutation, from origin: MutationOrigin, for request: CarriedRequest?) {
    if case .effect(let effect?) = origin { effect.begin() }
    waitingMutations.add(1, ordering: .acquiringAndReleasing)
    post(.mutation(mutation, origin, request))
  }

  /// An output of a stage was dequeued.
  @usableFromInline
  func didDequeueOutput(of stage: ReactorStage) {
    switch stage {
    case .transformAction: waitingActions.subtract(1, ordering: .acquiringAndReleasing)
    case .transformMutation: waitingMutations.subtract(1, ordering: .acquiringAndReleasing)
    case .transformState: waitingStates.subtract(1, ordering: .acquiringAndReleasing)
    case .mutate: break
    }
  }

  private func stageDidFail(_ stage: ReactorStage, _ error: any Error) {
    if ifOwned({ $0.stageFailed(stage, error) }) == nil { post(.stageFailed(stage, error)) }
  }
}
