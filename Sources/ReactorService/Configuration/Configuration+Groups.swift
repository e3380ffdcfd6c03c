public import ReactorHost
public import ReactorHTTP

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

    /// `log.access`: the level of the line that each request leaves.
    public var access = LogLevel.debug
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

    /// `limits.address`: the most connections of one address, streams included; 0 for any number.
    public var address = 0

    /// `limits.rate`: how many requests each client's address has a second; 0 for any number.
    public var rate = 0

    /// `limits.subscribers`: how many streams may watch one session; 0 for any number.
    public var subscribers = 0

    /// `limits.idle`: how long a connection may wait for its next request.
    public var idle = Duration.seconds(60)

    /// `limits.head`: how long a new connection's first request line and header fields may take, and
    /// the header fields after each later request line.
    public var head = Duration.seconds(10)

    /// `limits.transfer`: how long a body may take, in either direction.
    public var transfer = Duration.seconds(60)
  }

  /// The transport.
  public struct HTTP: Sendable {
    /// `http.workers`: threads that serve requests; 0 chooses by the number of cores.
    public var workers = 0

    /// `http.permissions`: of the file of a Unix-domain socket.
    public var permissions = FilePermissions(mode: 0o660)

    /// `http.compression`: the smallest answer that is compressed; 0 for none.
    public var compression = 1_400

    /// `http.proxies`: whose word about their clients' addresses is taken.
    public var proxies = TrustedProxies()
  }

  /// Web pages of other origins.
  public struct CORS: Sendable {
    /// `cors.origins`: those that may use the service.
    public var origins: Set<String> = []

    /// `cors.credentials`: whether their requests may carry cookies and the like.
    public var credentials = false

    /// `cors.maxage`: how long a browser need not ask again.
    public var maxAge = Duration.seconds(600)
  }

  /// Who may do what.
  public struct Auth: Sendable {
    /// `auth.tokens`: the file of the tokens; empty where everyone may do everything.
    public var tokens = ""

    /// `auth.query`: whether a stream's address may hold the token.
    public var query = false
  }

  /// The way to the first answer.
  public struct Start: Sendable {
    /// `start.wait`: how long to wait for another process to let go of the store.
    public var wait = Duration.zero
  }

  /// The way to the end.
  public struct Shutdown: Sendable {
    /// `shutdown.grace`: how long draining may take.
    public var grace = Duration.seconds(10)
  }
}
