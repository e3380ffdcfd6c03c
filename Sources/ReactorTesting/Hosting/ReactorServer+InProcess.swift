#if canImport(ReactorHTTP)
  public import ReactorClient
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
    ///   - configuration: The bounds of the client.
    /// - Returns: The server, whose sessions are in memory.
    public static func hosting(
      _ reactors: [ReactorRegistration], globals: [any SharedGlobal] = [],
      configuration: ClientConfiguration = ClientConfiguration()
    ) -> ReactorServer {
      let host = Host(reactors, globals: globals)
      return ReactorServer(
        transport: InProcessTransport(host: host), configuration: configuration)
    }
  }
#endif
