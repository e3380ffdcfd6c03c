public import ReactorStreams

/// The outputs of the stages. Most outputs are emitted by the current item, on its thread, and are
/// handled immediately. A stream that the reactor merged in can emit on any thread; its events are
/// enqueued.
extension Pipeline {
  @usableFromInline
  func actionStageDid(_ event: Event<Action>) {
    switch event {
    case .next(let action):
      let isHandled = ifOwned { contents in
        guard contents.canFoldNow else { return false }
        contents.actionEmitted(action)
        return true
      }
      if isHandled != true { post(.transformedAction(action)) }
    case .error(let error): stageDidFail(.transformAction, error)
    case .completed: post(.stageCompleted(.transformAction))
    }
  }

  @usableFromInline
  func mutationStageDid(_ event: Event<Mutation>) {
    switch event {
    case .next(let mutation):
      if ifOwned({ $0.mutationEmitted(mutation) }) == nil {
        post(.mutation(mutation, .external))
      }
    case .error(let error): stageDidFail(.transformMutation, error)
    case .completed: post(.stageCompleted(.transformMutation))
    }
  }

  @usableFromInline
  func stateStageDid(_ event: Event<State>) {
    switch event {
    case .next(let state):
      if ifOwned({ $0.show(state) }) == nil { post(.shownState(state)) }
    case .error(let error): stageDidFail(.transformState, error)
    case .completed: post(.stageCompleted(.transformState))
    }
  }

  private func stageDidFail(_ stage: ReactorStage, _ error: any Error) {
    if ifOwned({ $0.stageFailed(stage, error) }) == nil { post(.stageFailed(stage, error)) }
  }
}
