public import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// The values of a pulse: the current one first, then one for each state in which it was assigned.
  ///
  /// Where a mutation assigns it more than once, the last value counts. A state that sets the pulse
  /// back to the value that it began with emits that value, as in ReactorKit; an assignment in the
  /// same mutation is told, which ReactorKit loses.
  ///
  /// - Parameter transformToPulse: Finds the pulse, mostly a key path: `reactor.pulse(\.$alert)`. If
  ///   it throws, the returned stream fails.
  /// - Returns: The values; a subscription of its own each time.
  public func pulse<Result: Sendable>(
    _ transformToPulse: @escaping @Sendable (State) throws -> Pulse<Result>
  ) -> Observable<Result> {
    state.map(transformToPulse).distinctUntilChanged { $0.assignment }.map { $0.wrappedValue }
  }
}
