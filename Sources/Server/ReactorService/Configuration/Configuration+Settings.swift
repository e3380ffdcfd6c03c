internal import MicrohttpdServer
internal import ReactorHTTP
internal import ReactorHost

extension Configuration {
  /// The settings of the service, in the order of the help.
  ///
  /// The flags, environment variables, file keys, the help, the commented default file and the page of
  /// the documentation are derived from this table. Each entry names the property that holds the value;
  /// the property's initial value is the default.
  public static let settings: [Setting] =
    placeSettings + sessionSettings + logSettings + limitSettings + httpSettings
    + authenticationSettings + processSettings

  private static let placeSettings = [
    Setting(
      "supervise", \.isSupervised, .flag,
      help: """
        Whether the service runs in a child process that is restarted after a crash. Under a service \
        manager (NOTIFY_SOCKET, LISTEN_FDS) it never does.
        """),
    Setting(
      "listen", \.listen, .address,
      help: "The address to listen on; port 0 selects a free one. Sockets from systemd replace it."),
    Setting(
      "store", \.store, .store,
      help: """
        Where session logs are stored; with memory they are lost when the process ends. A database can have all \
        parameters of libpq (postgres://USER@HOST1,HOST2/DATABASE?target_session_attrs=read-write); its \
        password belongs in the file of settings, the environment or PGPASSFILE.
        """),
    Setting(
      "pages", \.pages, .folder,
      help: """
        The folder of your own web pages, served at / beside the API; the inspector is at /inspector/ then. \
        Empty for none.
        """),
    Setting(
      "pages.fallback", \.hasFallbackPage, .flag,
      help: """
        Whether a page that a browser opens, and that has no file in the folder of pages, is its index.html: for \
        pages that draw their own addresses.
        """),
    Setting(
      "cluster.wait", \.clusterWait, .duration(1...300),
      help: """
        How long requests wait for the database of a store postgres:// that does not confirm a change, before \
        they get 503.
        """),
    Setting(
      "cluster.name", \.clusterName, .clusterName,
      help: "The schema of the tables of a store postgres://, the same at all nodes of a cluster."),
    Setting(
      "cluster.node", \.clusterNode, .nodeName,
      help: """
        The name of this process among those that share a store postgres://, another one for each; empty for \
        the machine's name and the port.
        """),
    Setting(
      "cluster.listen", \.clusterListen, .nodeAddress,
      help: """
        The address on which this node of a store postgres:// listens for the other nodes, never a public one; \
        port 0 selects a free one. Empty for one process that uses the store alone.
        """),
    Setting(
      "cluster.address", \.clusterAddress, .nodeAddress,
      help: """
        The address at which the other nodes reach this one, if it is not that of cluster.listen: needed if \
        that stands for all addresses of the machine (0.0.0.0, [::]).
        """),
    Setting(
      "cluster.secret", \.clusterSecret, .path,
      help: """
        A file of at least 32 random bytes, the same at all nodes: with cluster.listen, nodes prove to each \
        other that they have it.
        """),
    Setting(
      "cluster.suspect", \.clusterSuspect, .duration(1...60),
      help: """
        The time without an announcement, of which each node sends two per second, after which a node counts as \
        failed, and others take its sessions over.
        """),
  ]

  private static let sessionSettings = [
    Setting(
      "sessions.create", \.host.sessionCreation, .choice(),
      help:
        "Whether the first use of a session creates it (implicit), or only POST and PUT (explicit)."
    ),
    Setting(
      "sessions.idle", \.host.sessionIdle, .duration(0.1...31_536_000),
      help: "A session leaves memory after this time without use; its log remains in the store."),

    Setting(
      "actions.wait", \.api.actionWait, .duration(0...3_600),
      help: "How long a POST waits for the effect of its action before it responds with 202."),
    Setting(
      "actions.idempotency", \.host.idempotency, .duration(0.1...31_536_000),
      help: "How long an Idempotency-Key and its response are stored."),

    Setting(
      "streams.heartbeat", \.server.heartbeat, .duration(0.1...3_600),
      help: "The interval of the comments on an idle stream, which also detect dead peers."),
  ]

  private static let logSettings = [
    Setting(
      "changes.keep", \.changeRetention, .duration(0...315_360_000),
      help: """
        How long the changes of all sessions are retained for /v1/changes; 604800 is a week, 0 is \
        not at all. The memory store retains the latest 65536.
        """),

    Setting(
      "log.retain", \.retention, .retention,
      help: """
        How much of each session's log is retained; all means 10000 versions in the memory store.
        """),
    Setting(
      "log.level", \.logLevel, .choice(),
      help: "The minimum level of log lines."),
    Setting(
      "log.format", \.logFormat, .choice(),
      help: "The format of log lines; json writes one object per line."),
    Setting(
      "log.access", \.api.accessLog, .choice(),
      help: "The level of the access log: one line per request."),
  ]

  private static let limitSettings = [
    Setting(
      "limits.body", \.server.limits.body, .bytes(1...1_073_741_824),
      help: "The maximum size of a request body."),
    Setting(
      "limits.connections", \.server.limits.connections, .count(1...10_000_000),
      help: """
        The maximum number of connections; a further one closes the connection that has been idle \
        longest.
        """),
    Setting(
      "limits.memory", \.memory, .bytes(0...1_099_511_627_776),
      help: """
        The memory that the service may use: sessions, views, histories in memory and unsent bytes have a \
        quarter of it. At least 32 MiB; 0 is the memory of the control group or the machine.
        """),
    Setting(
      "limits.address", \.server.limits.connectionsPerAddress, .count(0...10_000_000),
      help: """
        The maximum number of connections per client address, streams included; 0 is no limit but \
        the share of all.
        """),
    Setting(
      "limits.state", \.host.stateLimit, .bytes(64...1_073_741_824),
      help: "The maximum size of a State as JSON; a mutation that exceeds it is rejected."),
    Setting(
      "limits.rate", \.api.limits.rate, .count(0...1_000_000),
      help: "The maximum number of requests per second and client address, else 429; 0 is no limit."
    ),
    Setting(
      "limits.sessions", \.api.limits.sessions, .count(0...1_000_000),
      help: """
        The maximum number of sessions that one principal, or one address without a principal, \
        creates per hour, else 429; 0 is no limit. Administrators are exempt.
        """),
    Setting(
      "limits.idle", \.server.timeouts.idle, .duration(0.1...86_400),
      help: "How long a connection may wait for its next request; streams have their heartbeat."),
    Setting(
      "limits.head", \.server.timeouts.head, .duration(0.1...3_600),
      help: """
        The time limit of a new connection's request line and header fields together, and of the \
        header fields that follow each later request line.
        """),
    Setting(
      "limits.transfer", \.server.timeouts.body, .duration(0.1...86_400),
      help: "The time limit for receiving a request body, and for sending a response."),
  ]

  private static let httpSettings = [
    Setting(
      "http.workers", \.workers, .count(0...1_024),
      help: "The number of request worker threads; 0 is one for every two cores."),
    Setting(
      "http.compression", \.compressionMinimum, .bytes(0...1_073_741_824),
      help:
        "Responses of at least this size are compressed for clients that accept gzip; 0 for none."
    ),
    Setting(
      "http.proxies", \.api.trustedProxies, .trustedProxies,
      help: """
        Trusted proxies, separated by commas, whose header field states the address of the client: \
        addresses, networks such as 10.0.0.0/8, or unix.
        """),
    Setting(
      "http.forwarded", \.api.forwardingField, .choice(),
      help: "The one header field of trusted proxies that is believed."),
    Setting(
      "http.prefix", \.api.prefix, .pathPrefix,
      help: """
        The path below which a proxy publishes the service, such as /app, whether the proxy removes it or not. \
        All addresses that the service writes begin with it.
        """),
    Setting(
      "http.hosts", \.hostNames, .hostNames,
      help: """
        The accepted names in Host, separated by commas, or * for any; else 421. Empty accepts the \
        loopback names if the service listens on a loopback address, and any name elsewhere.
        """),

    Setting(
      "cors.origins", \.api.crossOrigin.origins, .origins,
      help: """
        Origins, separated by commas, whose web pages and apps may use the service; none by default. *. before \
        the host are all its subdomains.
        """),
    Setting(
      "cors.credentials", \.api.crossOrigin.allowsCredentials, .flag,
      help: "Whether requests of these pages may carry credentials such as cookies."),
    Setting(
      "cors.headers", \.api.crossOrigin.headers, .fieldNames,
      help: """
        Header fields, separated by commas, that these pages may send in addition to those of the contract and \
        of tracing.
        """),
  ]

  private static let authenticationSettings = [
    Setting(
      "auth.tokens", \.authentication.tokenFile, .path,
      help: """
        A file of tokens, one per line: the token or sha256:DIGEST, then a right (write is \
        manage), then the names of reactors if not all are meant, then as=NAME of the principal.
        """),
    Setting(
      "auth.revoked", \.authentication.revokedFile, .path,
      help: """
        A file of credentials that are not accepted any more: a JSON array of objects with jti, sub or issuer, and \
        optionally issuedBefore and until. The service also stores those of POST /v1/revocations.
        """),
    Setting(
      "auth.query", \.api.takesTokenInQuery, .flag,
      help: """
        Whether the address of a stream may carry the token: ?access_token=. Tickets are safer: they \
        are valid once and for seconds.
        """),
    Setting(
      "auth.issuers", \.authentication.issuers,
      .list(
        expected:
          #"an array of providers such as [{"issuer":"https://login.example.com","audience":"reactord"}]"#
      ),
      help: """
        Providers of OpenID Connect whose tokens are accepted, each an object with issuer (its URL, the iss of its \
        tokens) and audience, and optionally name and keys (the URL of its key set). With several issuers, or with \
        auth.jwt.keys, the sub of a principal begins with the name and a vertical bar; the name is the URL without its \
        scheme unless specified, and may be empty for one of several issuers.
        """),
    Setting(
      "auth.jwt.keys", \.authentication.keyFile, .path,
      help: """
        A file with a JSON Web Key Set, or PEM public keys or certificates that verify JSON Web Tokens. It is \
        read again when it changes, so that keys rotate without a restart.
        """),
    Setting(
      "auth.jwt.issuer", \.authentication.issuer, .text,
      help: "The issuer (iss) that a token must have; empty for any."),
    Setting(
      "auth.jwt.audience", \.authentication.audience, .texts,
      help:
        "The audiences (aud), separated by commas, of which a token must have one; empty for any."),
    Setting(
      "auth.introspection.url", \.authentication.introspectionURL, .text,
      help: """
        The https URL for the introspection of tokens that are no JSON Web Tokens (RFC 7662); empty for none. With \
        auth.jwt.audience an active token must be for one of these audiences.
        """),
    Setting(
      "auth.introspection.client", \.authentication.introspectionClient, .text,
      help: "The id of the service at this URL; empty for none."),
    Setting(
      "auth.introspection.secret", \.authentication.introspectionSecretFile, .path,
      help: "A file with the secret of the service at this URL."),
    Setting(
      "auth.webhook.url", \.authentication.webhookURL, .text,
      help: """
        The https URL of a server that decides on each request about a session that the rules permit; empty for \
        none. It is not asked about administrators.
        """),
    Setting(
      "auth.webhook.secret", \.authentication.webhookSecretFile, .path,
      help: """
        A file with the secret in its first line, at least 32 bytes, with which the field X-Hub-Signature-256 \
        authenticates the questions.
        """),
    Setting(
      "auth.cookie", \.authentication.cookie, .cookieName,
      help: "The name of a cookie that holds a JSON Web Token; empty for none."),
    Setting(
      "auth.secret", \.authentication.secretFile, .path,
      help: """
        A file of at least 32 random bytes that encrypts tickets; services that share it accept each \
        other's. Without it tickets are valid in the process that has created them.
        """),
    Setting(
      "auth.claims", \.authentication.claims,
      .list(
        expected:
          #"an array of claims such as [{"claim":"user","from":"sub","matching":"auth0\\|(.*)"}]"#),
      help: """
        Claims that rules and patterns see in addition, each an object with claim (its name), from (the path of a \
        claim) and matching: a regular expression that the whole text of the other claim has to match, whose group is \
        the value. They replace claims of a token with their names.
        """),
    Setting(
      "auth.rules", \.authentication.rules,
      .list(
        expected:
          #"an array of grants such as [{"allow":"read","to":"catalogue/*","anonymous":true}]"#),
      help: """
        Rules, each an object with allow or deny (a right), to (a pattern of sessions such as cart/{sub}), \
        do (names of actions), if (claims that a principal must have) and anonymous. With any credential or rule, \
        everything that is not granted is rejected; a denial is stronger than every grant.
        """),
  ]

  private static let processSettings = [
    Setting(
      "paused", \.isPaused, .flag,
      help: """
        Whether the service only serves reads, to try a copy of a store: it executes no action, no \
        effect and no timer, and other requests are 503.
        """),
    Setting(
      "shutdown.grace", \.shutdownGrace, .duration(0...3_600),
      help: "The time limit for draining after SIGTERM or SIGINT."),
    Setting(
      "shutdown.delay", \.shutdownDelay, .duration(0...3_600),
      help: """
        How long requests are still served after SIGTERM or SIGINT, as a part of shutdown.grace, while \
        /readyz responds with 503, so that a load balancer selects other nodes first.
        """),
  ]
}
