public import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// The values of a pulse: the current one first, then one for each state in which it was assigned.
  ///
  /// If a mutation assigns it more than once, the last value is emitted. A state that resets the pulse
  /// to its initial value emits that value, as in ReactorKit; an assignment in the same mutation is
  /// emitted, which ReactorKit does not do.
  ///
  /// - Parameter transformToPulse: Returns the pulse, usually a key path: `reactor.pulse(\.$alert)`.
  ///   If it throws, the returned stream fails.
  /// - Returns: The values. Each subscription subscribes to the state anew.
  public func pulse<Result: Sendable>(
    _ transformToPulse: @escaping @Sendable (State) throws -> Pulse<Result>
  ) -> Observable<Result> {
    state.map(transformToPulse).distinctUntilChanged { $0.assignment }.map { $0.wrappedValue }
  }
}
