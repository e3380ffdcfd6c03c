public import ReactorCore

extension ReactorServer {
  /// A session of a hosted reactor.
  ///
  /// The first request follows the first use of the reactor. The session begins with its first use, unless the
  /// server creates sessions explicitly.
  ///
  /// - Parameters:
  ///   - type: The type of the reactor, or its `ReactorInterface` alone.
  ///   - name: The name under which the server hosts it.
  ///   - session: The id of the session.
  ///   - initialState: The State to show before the first one has arrived; `nil` for the smallest value.
  ///   - prediction: The expected change by an action, to show it at once; `nil` for none.
  /// - Returns: The reactor. Several reactors of one session share the stream and the order of actions.
  public func reactor<Interface: ReactorInterface>(
    _ type: Interface.Type, _ name: String, session: String,
    initialState: Interface.State? = nil,
    prediction: Prediction<Interface.Action, Interface.State>? = nil
  ) -> RemoteReactor<Interface> {
    RemoteReactor(name, session, lifetime, initialState, prediction)
  }
}
