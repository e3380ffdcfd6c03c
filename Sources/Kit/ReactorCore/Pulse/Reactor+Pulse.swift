public import ReactorStreams

extension ReactorProtocol where Self: ReactorInstance {
  /// Returns the values of a pulse: the current value first, then one for each state in which the
  /// pulse was assigned.
  ///
  /// If a mutation assigns the pulse more than once, the last value is emitted. A state that resets
  /// the pulse to its initial value emits that value, as in ReactorKit. If the same mutation then
  /// assigns the pulse, the assigned value is emitted, unlike in ReactorKit.
  ///
  /// - Parameter transformToPulse: Returns the pulse, usually a key path: `reactor.pulse(\.$alert)`.
  ///   If it throws, the returned stream fails.
  /// - Returns: The values. Each subscription starts a new subscription to the state.
  public func pulse<Result: Sendable>(
    _ transformToPulse: @escaping @Sendable (State) throws -> Pulse<Result>
  ) -> Observable<Result> {
    state.map(transformToPulse).distinctUntilChanged { $0.assignment }.map { $0.wrappedValue }
  }
}
