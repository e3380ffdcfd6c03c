package import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// Sets the `currentState` of a child to its part of the parent's State.
  @inlinable
  package func adopt(_ state: State) {
    pipeline.setCurrent(state)
  }

  /// Publishes an action of a child to the observers of its `action`, and returns the mutations of
  /// the action.
  @inlinable
  package func mutateAsChild(_ action: Action) -> Observable<Mutation> {
    pipeline.publishSent(action)
    return mutate(action: action)
  }
}
