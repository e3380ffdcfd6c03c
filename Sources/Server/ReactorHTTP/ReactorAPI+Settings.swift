package import Identity
package import ReactorCore
package import ReactorHost
internal import ReactorTransport
package import Telemetry

extension ReactorAPI {
  /// The settings of the service; each has the name of its setting in the configuration.
  package struct Settings: Sendable {
    /// The bounds on what clients can use.
    package var limits = Limits()

    /// `actions.wait`: how long a response waits for the effect of its action.
    package var actionWait = Duration.seconds(5)

    /// The version of the service, shown in `/openapi.json`.
    package var version = "0"

    /// Sources of `/metrics` in addition to the host and the service itself.
    package var metrics: [any MetricsSource] = []

    /// `http.proxies`: the proxies whose statements about client addresses are trusted.
    package var trustedProxies = TrustedProxies()

    /// `http.forwarded`: the header field in which these proxies state the client's address.
    package var forwardingField = ForwardingField.xForwardedFor

    /// `http.hosts`: the accepted names in `Host`.
    package var hosts = AcceptedHosts.any

    /// `http.prefix`: the path below which a proxy publishes the service, such as `/app`; empty for none.
    package var prefix = ""

    /// `http.compression`: when responses are compressed, or `nil` for never.
    package var compression: ResponseCompression?

    /// `cors.*`: the pages of other origins that may use the service.
    package var crossOrigin = CrossOrigin()

    /// `auth`: keys, tokens and rules, or `nil` if every client has every right.
    package var authentication: Authenticator.Configuration?

    /// The principal of every request, for a service in the process of a test, or `nil` for that of the
    /// credential.
    package var principal: Principal?

    /// `auth.cookie`: the cookie that holds a JSON Web Token, or `nil` for none.
    package var cookie: String?

    /// `auth.query`: whether the address of a stream may contain the token.
    package var takesTokenInQuery = false

    /// `log.access`: the level of the log line per request.
    package var accessLog = LogLevel.debug

    /// The credentials that are revoked in the store, a hidden global of the host; `nil` supports none.
    package var revocations: Global<[Revocation]>?

    /// The web pages and the JavaScript client.
    package var files = StaticFiles()

    /// `pages`: the folder of one's own pages, or `nil` for none.
    package var folder: PageFolder?

    /// `streams.heartbeat`: the interval that event streams announce; `nil` announces none.
    package var heartbeat: Duration?

    /// The readiness of the process, for `/readyz`, in addition to that of the store.
    package var readiness: @Sendable () -> ServiceReadiness = { ServiceReadiness() }

    /// Whether only reads are served.
    package var isPaused = false

    /// Lists the nodes of the cluster, and those that are gone, for `/v1/nodes`, or returns `nil` without a
    /// cluster.
    package var nodes: (@Sendable () async -> (alive: [ServiceNode], gone: [GoneNode]))?

    /// Creates settings with their defaults.
    package init() {}

  }

  /// The features that the settings enable.
  struct Features: Sendable {
    /// Whether the statements of a proxy about client addresses are trusted.
    let trustsProxies: Bool
    /// Whether responses may be compressed.
    let compresses: Bool
    /// Whether pages of other origins may use the service.
    let allowsOrigins: Bool

    init(of settings: Settings) {
      trustsProxies = settings.trustedProxies.isUsed
      compresses = settings.compression != nil
      allowsOrigins = settings.crossOrigin.isUsed
    }
  }

  /// Returns the address of the client that sent a request, or `nil` if it is not known.
  func client(of request: HTTPRequest) -> ClientAddress? {
    guard features.trustsProxies else { return request.peer }
    return settings.trustedProxies.client(of: request, in: settings.forwardingField)
  }
}

/// The readiness of a process, for `/readyz`.
package struct ServiceReadiness: Sendable {
  /// The reason why load balancers must select another process, as a sentence, or `nil` if the process
  /// is ready.
  package var problem: String?

  /// A notice for operators in the response of a process that is ready, or `nil` for none.
  package var detail: String?

  /// Creates a readiness.
  package init(problem: String? = nil, detail: String? = nil) {
    (self.problem, self.detail) = (problem, detail)
  }

  /// Returns the readiness with a further notice, or this one for `nil`.
  package func adding(notice: String?) -> ServiceReadiness {
    guard let notice else { return self }
    return ServiceReadiness(
      problem: problem, detail: detail.map { $0 + "; " + notice } ?? notice)
  }
}

/// A process of the cluster: this process, or one that shares the sessions of the store with it.
package struct ServiceNode: Encodable, Sendable {
  /// `cluster.node` of the process.
  package var name: String

  /// `joining`, `ready`, `draining` or `left`.
  package var state: String

  /// The version of its service, or `nil` if it has not replied in time.
  package var version: String?

  /// The number of sessions in its memory, or `nil` if it has not replied in time.
  package var sessions: Int?

  /// Whether it is this process.
  package var isThis: Bool

  /// Its differences from this process, such as `the settings`.
  package var differences: [String]

  /// Creates a node.
  package init(
    name: String, state: String, version: String?, sessions: Int?, isThis: Bool,
    differences: [String]
  ) {
    self.name = name
    self.state = state
    self.version = version
    self.sessions = sessions
    self.isThis = isThis
    self.differences = differences
  }
}

/// A process that shared the sessions of the store and failed or left.
package struct GoneNode: Encodable, Sendable {
  /// `cluster.node` of the process.
  package let name: String

  /// When this process noticed that, in RFC 3339.
  package let since: String

  /// Creates a node.
  package init(name: String, since: String) {
    (self.name, self.since) = (name, since)
  }
}

/// The bounds on what one request, client, session or stream can use in this layer.
///
/// The transport bounds connections, heads and bodies, and the host bounds sessions and mailboxes;
/// the article <doc:Bounds> lists all of them.
package struct Limits: Sendable {
  /// `limits.rate`: requests per second and client address; 0 for no limit.
  package var rate = 0

  /// `limits.sessions`: sessions that a principal or an address creates per hour; 0 for no limit.
  package var sessions = 0

  /// Events that a subscriber can be behind before it receives the latest state.
  package var streamBuffer = 256

  /// Sessions per stream.
  package var streamSessions = 100

  /// The bytes of a signal.
  package var signal = 4_096

  /// Signals per second of one principal, or one address without a principal; 0 for
  /// no limit.
  package var signals = 100

  /// Creates the default limits.
  package init() {}

  /// The bytes of entries or actions after which a page of a log or of effects ends.
  static let pageBytes = 1 << 20

  /// The default and the maximum number of entries of a page.
  static let pageLength = (usual: 100, most: 1000)

  /// The maximum number of bytes of the name that the owner of a stream chooses.
  static let nameLength = 128

  /// The maximum number of requests and streams that wait for a background thread or a long read, which clients
  /// share.
  static let backgroundJobs = 16_384

  /// The size of its body above which a request is processed in the background.
  static let foregroundBody = 16_384

  /// The size of a body above which it is compressed in the background.
  static let foregroundCompression = 65_536

  /// The maximum number of audiences of a projected session that have streams.
  static let audiences = 256

  /// The number of failed authentications per second and address above which credentials are not verified.
  static let failedAuthentications = 10

  /// The maximum number of decisions of another server on its credential that a request waits for, in turn.
  static let credentialDecisions = 3
}
