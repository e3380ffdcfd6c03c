extension Problem.Kind {
  /// The action cannot be decoded as one of the reactor's actions: `pointer` locates the invalid
  /// value, and `expected` lists the valid ones.
  public static let invalidAction = Self(rawValue: "invalid-action")

  /// `mutate` threw; status and title are the reactor's.
  public static let effectFailed = Self(rawValue: "effect-failed")

  /// The first request with the same idempotency key still runs.
  public static let actionRunning = Self(rawValue: "action-running")

  /// The session is not at the expected cursor.
  public static let versionMismatch = Self(rawValue: "version-mismatch")

  /// The session was deleted.
  public static let sessionEnded = Self(rawValue: "session-ended")

  /// The server hosts no reactor of this name.
  public static let unknownReactor = Self(rawValue: "unknown-reactor")

  /// The session does not exist, and the server creates sessions only explicitly.
  public static let unknownSession = Self(rawValue: "unknown-session")

  /// The State at this version does not exist or is no longer retained.
  public static let unknownVersion = Self(rawValue: "unknown-version")

  /// The token is missing, expired or unknown.
  public static let unauthorized = Self(rawValue: "unauthorized")

  /// The token does not have the right.
  public static let forbidden = Self(rawValue: "forbidden")

  /// The server has no such address: it is older than this client, or the path of its URL is wrong.
  public static let unknownAddress = Self(rawValue: "not-found")

  /// A parameter of the request is unusable.
  public static let invalidParameter = Self(rawValue: "invalid-parameter")

  // MARK: Of the client itself

  /// The server cannot be reached.
  public static let unreachable = Self(rawValue: "unreachable")

  /// The server's certificate is not trusted.
  public static let untrustedCertificate = Self(rawValue: "untrusted-certificate")

  /// The address does not respond as reactord does: the response is that of a proxy, of a log-in page of
  /// a network, or of another program.
  public static let notAServer = Self(rawValue: "not-a-server")

  /// The types that the server describes are not those of the client.
  public static let incompatibleTypes = Self(rawValue: "incompatible-types")

  /// A State, or a result, cannot be decoded as the client's type.
  public static let undecodable = Self(rawValue: "undecodable")

  /// An event of a stream is malformed, or a patch does not apply.
  public static let malformedEvent = Self(rawValue: "malformed-event")

  /// The offline queue is full.
  public static let queueFull = Self(rawValue: "queue-full")

  /// The file of the offline queue exists but cannot be read.
  public static let unreadableQueue = Self(rawValue: "unreadable-queue")

  /// There was no response within the caller's deadline, or within the time for which the server
  /// stores responses.
  public static let timedOut = Self(rawValue: "timed-out")

  /// The client was closed, or the task that sent the action was cancelled.
  public static let cancelled = Self(rawValue: "cancelled")

  /// The token could not be obtained.
  public static let noToken = Self(rawValue: "no-token")
}

extension Problem.Kind {
  /// The problem types that the server sends, by status, except ``effectFailed``, whose status the reactor
  /// chooses.
  package static let served: [Int: Set<String>] = [
    400: ["invalid-parameter", "invalid-session-id", "malformed-json"],
    401: ["unauthorized"],
    403: ["forbidden", "foreign-origin", "internal-action"],
    404: [
      "changes-disabled", "not-found", "unknown-global", "unknown-reactor", "unknown-session",
      "unknown-version",
    ],
    405: ["method-not-allowed"],
    406: ["not-acceptable"],
    409: ["action-running", "session-exists"],
    410: ["cursor-expired", "session-ended"],
    412: ["version-mismatch"],
    413: ["body-too-large"],
    415: ["unsupported-media-type"],
    421: ["misdirected-request"],
    422: [
      "idempotency-key-reused", "invalid-action", "invalid-body", "invalid-pointer",
      "parameters-required", "state-not-object",
    ],
    429: ["rate-limited"],
    431: ["headers-too-large"],
    500: ["action-crashed"],
    503: ["reactor-quarantined", "service-paused", "session-unreadable", "unavailable"],
    507: ["change-too-large", "state-too-large", "storage-full"],
    508: ["sends-too-deep"],
  ]

  /// The kind of a problem's `type`, or `nil` for a type that the server does not send with the status.
  init?(type: String?, status: Int) {
    // A service below a path has its problem types there.
    let parts = (type ?? "").split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].isEmpty, parts[parts.count - 2] == "problems" else {
      return nil
    }
    let name = String(parts[parts.count - 1])
    let isServed = Self.served[status]?.contains(name) ?? false
    let isReactors = name == Self.effectFailed.rawValue && (400..<600).contains(status)
    guard isServed || isReactors else { return nil }
    self.init(rawValue: name)
  }
}
