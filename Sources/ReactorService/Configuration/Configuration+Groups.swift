public import ReactorHost

extension Configuration {
  /// The life of a session.
  public struct Sessions: Sendable {
    /// `sessions.create`: who makes sessions.
    public var create = HostSettings.SessionCreation.implicit

    /// `sessions.idle`: after this time without use a session leaves memory, never its log.
    public var idle = Duration.seconds(600)

    /// `sessions.limit`: the most sessions in memory at once.
    public var limit = 1_000_000
  }

  /// How actions are taken and answered.
  public struct Actions: Sendable {
    /// `actions.wait`: how long a POST waits for its effect before it answers 202.
    public var wait = Duration.seconds(5)

    /// `actions.idempotency`: how long an idempotency key and its answer are kept.
    public var idempotency = Duration.seconds(86_400)

    /// `actions.queue`: the most actions that wait in the mailbox of one session.
    public var queue = 10_000
  }

  /// What is kept of a session, and what the daemon tells its operator.
  public struct Log: Sendable {
    /// `log.retain`: how much of the sessions' logs is kept.
    public var retain = RetentionRules()

    /// `log.level`: lines that matter less are not written.
    public var level = LogLevel.info

    /// `log.format`: how a line looks.
    public var format = LogFormat.text
  }

  /// Server-sent events.
  public struct Streams: Sendable {
    /// `streams.heartbeat`: an idle stream gets a comment line this often.
    public var heartbeat = Duration.seconds(15)

    /// `streams.buffer`: how many events a subscriber may be behind before it is given the latest.
    public var buffer = 256

    /// `streams.sessions`: how many sessions one stream may show.
    public var sessions = 100
  }

  /// What a client may use.
  public struct Limits: Sendable {
    /// `limits.body`: the most bytes of a request's body.
    public var body = 1_048_576

    /// `limits.headers`: the most bytes of a request's line and header fields together.
    public var headers = 16_384

    /// `limits.connections`: the most connections at once.
    public var connections = 100_000

    /// `limits.idle`: how long a connection that is idle or slow is kept.
    public var idle = Duration.seconds(60)
  }

  /// The transport.
  public struct HTTP: Sendable {
    /// `http.workers`: threads that serve requests; 0 chooses by the number of cores.
    public var workers = 0
  }

  /// The way to the end.
  public struct Shutdown: Sendable {
    /// `shutdown.grace`: how long draining may take.
    public var grace = Duration.seconds(10)
  }
}
