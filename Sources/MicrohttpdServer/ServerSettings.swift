public import ReactorHTTP

extension MicrohttpdServer {
  /// How a server listens, and what it bears.
  public struct Settings: Sendable {
    /// What a client may ask of the server before it is refused.
    public struct Limits: Sendable {
      /// The largest request body, in bytes.
      public var body: Int

      /// The largest request line and header fields together, in bytes.
      ///
      /// A head of up to nearly twice this size is answered by the responder's refusal; a still
      /// larger one by libmicrohttpd's bare 431. Every kept-alive connection holds twice this in
      /// memory (at least 32 KiB).
      public var headers: Int

      /// How many connections may be open for requests at once; one more waits to be accepted.
      public var connections: Int

      /// How many streams may be open at once; one more is answered with its head and ends.
      public var streams: Int

      /// How many connections one client may have at once, streams included; 0 is no limit.
      ///
      /// One more is answered by the responder's refusal. A client is an IPv4 address, or a network
      /// of 64 bits of IPv6; a Unix-domain socket has none.
      public var connectionsPerAddress: Int

      /// Whose connections are not counted: a proxy's are those of all its clients.
      public var isExempt: @Sendable (ClientAddress) -> Bool

      /// Makes limits.
      public init(
        body: Int = 1_048_576, headers: Int = 16_384, connections: Int = 4096,
        streams: Int = 200_000, connectionsPerAddress: Int = 0,
        isExempt: @escaping @Sendable (ClientAddress) -> Bool = { _ in false }
      ) {
        self.body = body
        self.headers = headers
        self.connections = connections
        self.streams = streams
        self.connectionsPerAddress = connectionsPerAddress
        self.isExempt = isExempt
      }
    }

    /// How long a client may take, from the beginning of each step, however many bytes it sends or
    /// takes in between; zero is no limit.
    public struct Timeouts: Sendable {
      /// For the first request line and header fields of a new connection, unless `idle` is less,
      /// and for the header fields that follow the request line on one that is kept alive.
      public var head: Duration

      /// For the body of a request, from the end of its head, and for taking an answer.
      public var body: Duration

      /// For the next request line on a connection that is kept alive, from the answer before.
      public var idle: Duration

      /// Makes timeouts.
      public init(
        head: Duration = .seconds(10), body: Duration = .seconds(60),
        idle: Duration = .seconds(60)
      ) {
        self.head = head
        self.body = body
        self.idle = idle
      }

      /// What holds for a new connection.
      var firstHead: Duration {
        head == .zero || idle == .zero ? max(head, idle) : min(head, idle)
      }
    }

    /// Where to listen, at one place at least.
    public var endpoints: [Endpoint]

    /// How many threads parse and answer requests.
    public var workers: Int

    /// How many threads write streams; 0 has the first worker do it, which is best where there is
    /// one core: there two threads would only wait for each other.
    public var loops: Int

    /// What is refused.
    public var limits: Limits

    /// How long a client may take; a request that waits for the service has all the time.
    public var timeouts: Timeouts

    /// After how long without a byte a stream is sent its heartbeat at the latest; where there are many,
    /// after half of it at the earliest.
    public var heartbeat: Duration

    /// How long a connection that was ended waits for its client to take the last bytes.
    public var linger: Duration

    /// Makes settings.
    public init(
      endpoints: [Endpoint] = [.network(host: "127.0.0.1", port: 8080)], workers: Int = 1,
      loops: Int = 1,
      limits: Limits = Limits(), timeouts: Timeouts = Timeouts(),
      heartbeat: Duration = .seconds(15),
      linger: Duration = .seconds(5)
    ) {
      self.endpoints = endpoints
      self.workers = workers
      self.loops = loops
      self.limits = limits
      self.timeouts = timeouts
      self.heartbeat = heartbeat
      self.linger = linger
    }
  }
}
