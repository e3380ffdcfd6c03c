internal import ReactorHost

extension Configuration {
  /// The service's own settings: the one table from which the flags, the names of environment
  /// variables, the keys of the file, the help and the commented default file are made.
  public static let settings: [Setting] = [
    Setting(
      "listen", \.listen, .address,
      help: """
        The address to accept connections on; port 0 takes a free one. Sockets that systemd hands \
        over are taken instead.
        """),
    Setting(
      "store", \.store, .store,
      help: "Where the logs of the sessions are kept; memory is gone when the process ends."),

    Setting(
      "sessions.create", \.sessions.create, .choice(),
      help: "Whether any first use makes a session (implicit) or only POST and PUT (explicit)."),
    Setting(
      "sessions.idle", \.sessions.idle, .duration(0.1...31_536_000),
      help: "A session that nobody used for this long leaves memory; its log stays."),
    Setting(
      "sessions.limit", \.sessions.limit, .count(1...100_000_000),
      help: "The most sessions in memory at once."),

    Setting(
      "actions.wait", \.actions.wait, .duration(0...3_600),
      help: "How long a POST waits for its effect before it answers 202."),
    Setting(
      "actions.idempotency", \.actions.idempotency, .duration(0.1...31_536_000),
      help: "How long an Idempotency-Key and its answer are kept."),
    Setting(
      "actions.queue", \.actions.queue, .count(1...10_000_000),
      help: "The most actions that may wait in the mailbox of one session."),

    Setting(
      "streams.heartbeat", \.streams.heartbeat, .duration(0.1...3_600),
      help: "An idle stream gets a comment line this often, which also finds dead peers."),
    Setting(
      "streams.buffer", \.streams.buffer, .count(1...65_536),
      help: "How many events a subscriber may be behind before it is given the latest state."),
    Setting(
      "streams.sessions", \.streams.sessions, .count(1...256),
      help: "The most sessions that one stream of several may show."),

    Setting(
      "log.retain", \.log.retain, .retention,
      help: "How much of a session's log is kept; memory keeps 10000 versions unless told how many."
    ),
    Setting(
      "log.level", \.log.level, .choice(),
      help: "Log lines that matter less than this are not written."),
    Setting(
      "log.format", \.log.format, .choice(),
      help: "How a log line looks: text for people, json for machines (one object a line)."),
    Setting(
      "log.access", \.log.access, .choice(),
      help: "The level of the line that each request leaves in the log."),

    Setting(
      "limits.body", \.limits.body, .bytes(1...1_073_741_824),
      help: "The largest body of a request."),
    Setting(
      "limits.headers", \.limits.headers, .bytes(1_024...1_048_576),
      help: "The largest request line and header fields together."),
    Setting(
      "limits.connections", \.limits.connections, .count(1...10_000_000),
      help: "The most connections at once."),
    Setting(
      "limits.address", \.limits.address, .count(0...10_000_000),
      help: "The most connections of one client's address, streams included; 0 for any number."),
    Setting(
      "limits.rate", \.limits.rate, .count(0...1_000_000),
      help: "How many requests a client's address has a second, else 429; 0 for any number."),
    Setting(
      "limits.subscribers", \.limits.subscribers, .count(0...10_000_000),
      help: "How many streams may watch one session at once; 0 for any number."),
    Setting(
      "limits.idle", \.limits.idle, .duration(0.1...86_400),
      help: "How long a connection may wait for its next request; streams have their heartbeat."),
    Setting(
      "limits.head", \.limits.head, .duration(0.1...3_600),
      help: """
        How long a new connection's request line and header fields may take, in all, and the \
        fields after each later request line.
        """),
    Setting(
      "limits.transfer", \.limits.transfer, .duration(0.1...86_400),
      help: "How long a request's body may take to arrive, and an answer to be taken, in all."),

    Setting(
      "http.workers", \.http.workers, .count(0...1_024),
      help: "Threads that serve requests; 0 chooses by the number of cores."),
    Setting(
      "http.permissions", \.http.permissions, .permissions,
      help: "The permissions of the file of a Unix-domain socket."),
    Setting(
      "http.compression", \.http.compression, .bytes(0...1_073_741_824),
      help: "Answers of at least this size are compressed for clients that take gzip; 0 for none."),
    Setting(
      "http.proxies", \.http.proxies, .trustedProxies,
      help: """
        Proxies, separated by commas, whose Forwarded or X-Forwarded-For names the client: \
        addresses, networks such as 10.0.0.0/8, or unix.
        """),

    Setting(
      "cors.origins", \.cors.origins, .origins,
      help: "Origins, separated by commas, whose web pages may use the service; none by default."),
    Setting(
      "cors.credentials", \.cors.credentials, .flag,
      help: "Whether requests of these pages may carry cookies and the like."),
    Setting(
      "cors.maxage", \.cors.maxAge, .duration(0...86_400),
      help: "How long a browser need not ask again before it sends such a request."),

    Setting(
      "auth.tokens", \.auth.tokens, .path,
      help: """
        A file with the tokens that are taken (a line: token or sha256:DIGEST, then read, write or \
        admin, then perhaps reactors); empty lets everyone do everything.
        """),
    Setting(
      "auth.query", \.auth.query, .flag,
      help: "Whether the address of a stream may hold the token: ?access_token=."),

    Setting(
      "start.wait", \.start.wait, .duration(0...3_600),
      help: "How long to wait for the process before, until it lets go of the store."),
    Setting(
      "shutdown.grace", \.shutdown.grace, .duration(0...3_600),
      help: "How long draining may take after SIGTERM or SIGINT."),
  ]
}
