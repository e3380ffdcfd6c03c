public import ReactorCore

extension ReactorServer {
  /// Returns a session of a hosted reactor.
  ///
  /// No request is sent before the reactor is used. The first use also creates the session, unless
  /// the server creates sessions only explicitly.
  ///
  /// - Parameters:
  ///   - type: The type of the reactor, or its `ReactorInterface` alone.
  ///   - name: The name under which the server hosts it.
  ///   - session: The id of the session.
  ///   - initialState: The State to show before the first one has arrived, or `nil` for the smallest value.
  ///   - prediction: The expected change by an action, which is shown before the server responds, or
  ///     `nil` for none.
  /// - Returns: The reactor. Several reactors of one session share the stream and the order of actions.
  public func reactor<Interface: ReactorInterface>(
    _ type: Interface.Type, _ name: String, session: String,
    initialState: Interface.State? = nil,
    prediction: Prediction<Interface.Action, Interface.State>? = nil
  ) -> RemoteReactor<Interface> {
    RemoteReactor(name, session, lifetime, initialState, prediction)
  }
}
