public import ReactorClient
public import ReactorCore
public import ReactorHost

extension ReactorServer {
  /// Returns a server in the same process, for tests of code that uses hosted reactors.
  ///
  /// It needs no sockets and no daemon, and has the same interface and semantics.
  ///
  /// ```swift
  /// let registration = ReactorRegistration("counter", summary: "Counts") { CounterReactor() }
  /// let server = ReactorServer.hosting([registration])
  /// let counter = server.reactor(CounterReactor.self, "counter", session: "test")
  /// #expect(try await counter.send(.increase).value == 1)
  /// ```
  ///
  /// - Parameters:
  ///   - reactors: The hosted reactors.
  ///   - globals: The globals.
  ///   - principal: The principal of the requests, which delegates and reactors read, or `nil` for
  ///     anonymous requests. A ``TestService`` has several.
  ///   - configuration: The bounds of the client.
  /// - Returns: The server, whose sessions are in memory.
  public static func hosting(
    _ reactors: [ReactorRegistration], globals: [any SharedGlobal] = [],
    as principal: Principal? = nil, configuration: ClientConfiguration = ClientConfiguration()
  ) -> ReactorServer {
    let host = Host(reactors, globals: globals)
    return ReactorServer(
      transport: InProcessTransport(host: host, as: principal), configuration: configuration)
  }
}
