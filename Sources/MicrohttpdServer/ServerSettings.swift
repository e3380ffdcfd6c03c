extension MicrohttpdServer {
  /// How a server listens, and what it bears.
  public struct Settings: Sendable {
    /// What a client may ask of the server before it is refused.
    public struct Limits: Sendable {
      /// The largest request body, in bytes.
      public var body: Int

      /// The largest request line and header fields together, in bytes.
      ///
      /// A head of up to about three times this size is answered by the responder's refusal; a
      /// still larger one by libmicrohttpd's bare 431. Every kept-alive connection holds three
      /// times this in memory (at least 32 KiB).
      public var headers: Int

      /// How many connections may be open for requests at once; one more waits to be accepted.
      public var connections: Int

      /// How many streams may be open at once; one more is answered with its head and ends.
      public var streams: Int

      /// Makes limits.
      public init(
        body: Int = 1_048_576, headers: Int = 16_384, connections: Int = 4096,
        streams: Int = 200_000
      ) {
        self.body = body
        self.headers = headers
        self.connections = connections
        self.streams = streams
      }
    }

    /// An IPv4 or IPv6 literal (brackets allowed), or `localhost`.
    public var host: String

    /// The port to listen on; 0 takes a free one.
    public var port: Int

    /// How many threads parse and answer requests.
    public var workers: Int

    /// How many threads write streams.
    public var loops: Int

    /// What is refused.
    public var limits: Limits

    /// How many seconds a connection may be silent, between requests or within one.
    ///
    /// A request that waits for its answer is not silent.
    public var idleTimeout: Int

    /// After how long without a byte a stream is sent its heartbeat.
    public var heartbeat: Duration

    /// How long a connection that was ended waits for its client to take the last bytes.
    public var linger: Duration

    /// Makes settings.
    public init(
      host: String = "127.0.0.1", port: Int = 8080, workers: Int = 1, loops: Int = 1,
      limits: Limits = Limits(), idleTimeout: Int = 60, heartbeat: Duration = .seconds(15),
      linger: Duration = .seconds(5)
    ) {
      self.host = host
      self.port = port
      self.workers = workers
      self.loops = loops
      self.limits = limits
      self.idleTimeout = idleTimeout
      self.heartbeat = heartbeat
      self.linger = linger
    }
  }
}
