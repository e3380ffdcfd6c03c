package import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// Sets the `currentState` of a child to its part of the parent's State.
  @inlinable
  package func adopt(_ state: State) {
    pipeline.setCurrent(state)
  }

  /// Returns the mutations of an action of a child, whose `action` publishes it first.
  @inlinable
  package func mutateAsChild(_ action: Action) -> Observable<Mutation> {
    pipeline.publishSent(action)
    return mutate(action: action)
  }
}
