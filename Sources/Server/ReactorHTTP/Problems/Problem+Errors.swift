internal import ReactorLog
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport

/// The problems of errors that other targets throw.
extension Problem {
  /// Creates the problem of a request that cannot be served now.
  static func unavailable(_ detail: String) -> Problem {
    Problem(.unavailable, detail + " Try again later.", headers: ["Retry-After": "1"])
  }

  /// Creates the problem of a client that has its share of what all clients share.
  ///
  /// - Parameters:
  ///   - limit: The number for all clients.
  ///   - bound: What is limited, with the name of its setting if it has one.
  ///   - detail: What was not done.
  ///   - kind: The type of the problem.
  ///   - seconds: The time after which to try again.
  /// - Returns: The problem.
  static func beyondShare(
    of limit: Int, _ bound: String, _ detail: String, kind: ProblemKind = .unavailable,
    retryAfter seconds: Int = 1
  ) -> Problem {
    Problem(
      kind,
      """
      The service has \(limit) \(bound) for all clients, and a client has at most as many as remain for the \
      others: you have your share. \(detail) Try again later.
      """, members: [.init("limit", .number(JSONNumber(limit)))],
      headers: ["Retry-After": "\(seconds)"])
  }

  /// Creates the problem of a parameter or header field with an invalid value.
  static func invalid(parameter name: String, _ detail: String) -> Problem {
    Problem(.invalidParameter, detail, members: [.init("parameter", .string(name))])
  }

  /// Creates the problem of a text that is not a session id.
  static func invalidSessionID(pointer: String? = nil) -> Problem {
    Problem(
      .invalidSessionID,
      "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.",
      members: pointer.map { [.init("pointer", .string($0))] } ?? [])
  }

  init(_ error: SessionError) {
    switch error {
    case .unknown:
      self.init(
        .unknownSession,
        "There is no such session. PUT its address first to begin it.")
    case .ended:
      self.init(.sessionEnded, "The session was deleted. PUT its address to begin a new one.")
    case .exists:
      self.init(
        .sessionExists, "The id is taken. Choose another one, or PUT the session's address.")
    case .quarantined:
      self.init(
        .actionCrashed,
        "Loading this session ended the process. It is not loaded again until an operator clears the "
          + "quarantine.")
    case .reactorQuarantined:
      self.init(
        .reactorQuarantined,
        """
        The code of this reactor ended the process three times in a minute. None of it is executed until an \
        operator clears the quarantine. Other reactors are served.
        """, headers: ["Retry-After": "60"])
    case .needsParameters:
      self.init(
        .parametersRequired,
        "Create the session with a PUT or POST whose body has them: {\"parameters\": …}.",
        members: [.init("pointer", "/parameters")])
    case .otherParameters:
      self.init(
        .sessionExists, "The session has other parameters, which never change.",
        members: [.init("pointer", "/parameters")])
    case .tooMany:
      self = .unavailable(
        """
        Your share of the sessions in memory is in use: a client has at most as many as remain \
        for the others. Nothing was done.
        """)
    case .overloaded:
      self = .unavailable("Too many requests wait for this session. Nothing was done.")
    case .history(let error): self.init(error)
    case .log(let error): self.init(error)
    }
  }

  init(_ error: HistoryError) {
    switch error {
    case .unknownVersion(let oldest, let latest):
      self.init(
        .unknownVersion, "The session has versions \(oldest) to \(latest).",
        members: [
          .init("oldest", .number(JSONNumber(oldest))),
          .init("latest", .number(JSONNumber(latest))),
        ])
    case .log(let error): self.init(error)
    }
  }

  init(_ error: LogError) {
    switch error {
    case .full:
      self.init(
        .storageFull, "The storage is full. Nothing was changed. Try again when there is room.")
    case .lost: self = .unavailable("Another writer has the session.")
    case .unavailable: self = .unavailable("The storage cannot be reached.")
    case .beyondShare(let limit, let bound):
      self = .beyondShare(of: limit, bound, "Nothing was changed.")
    case .unknown:
      self.init(
        .unavailable,
        """
        The storage did not confirm the change, and may have it or not. With the same \
        Idempotency-Key the request can be repeated: it is executed once.
        """, members: [.init("outcome", "unknown")], headers: ["Retry-After": "1"])
    case .tooLarge:
      self.init(
        .changeTooLarge,
        "The change or the State after it is larger than the storage accepts. Nothing was changed.")
    case .corrupt:
      self.init(
        .effectFailed,
        "The session's state could not be read or written. Nothing was changed; the log contains the reason."
      )
    case .unreadable(let version, _):
      // The reason names members of the reactor's types, and the remedy is the operator's: both are in
      // the log.
      self.init(
        .sessionUnreadable,
        """
        This release of the session's reactor cannot read what is stored. Nothing was changed and \
        nothing is lost; other sessions are not affected.
        """, members: version > 0 ? [.init("version", .number(JSONNumber(version)))] : [])
    }
  }

  init(_ error: ActionDecodingError, kind: ProblemKind) {
    switch error {
    case .malformed(let offset, let reason):
      self.init(
        .malformedJSON,
        "The body is not JSON at byte \(offset): \(reason.prefix(1).lowercased())\(reason.dropFirst())",
        members: [.init("offset", .number(JSONNumber(offset)))])
    case .internalAction(let name):
      self.init(
        .internalAction,
        """
        The action \"\(name)\" is sent by timers, other sessions or the reactor itself, not by clients. \
        Nothing was executed.
        """)
    case .invalid(let pointer, let expected, let detail):
      self.init(
        kind, detail,
        members: [
          .init("pointer", .string(pointer)),
          .init("expected", .array(expected.map { .string($0) })),
        ])
    }
  }

  /// Creates the problem of an error that a reactor's `mutate` threw.
  init(failed error: any Error, index: Int?, at cursor: Cursor) {
    let reported = error as? any ActionError
    self.init(
      Self.kind(of: error),
      reported.map { $0.detail ?? "\($0.title)." }
        ?? """
        The reactor failed to run this action. Mutations that were committed before the failure \
        stay; the session continues.
        """,
      members: index.map { [.init("index", .number(JSONNumber($0)))] } ?? [],
      headers: ["ETag": cursor.tag])
    guard let reported else { return }
    members.append(.init("code", .string(reported.code)))
    if reported.code == EffectLimitError.code { headers.append("Retry-After", constant: "1") }
    if let data = ActionFailure.data(of: reported),
      let document = try? JSONDocument(parsing: Array(data.utf8))
    {
      members.append(.init("data", JSONValue(document.root)))
    }
    title = reported.title
    // A reactor cannot turn a failure into a success.
    status = (400...599).contains(reported.status) ? reported.status : 500
  }

  private static func kind(of error: any Error) -> ProblemKind {
    switch error {
    case is StateTooLargeError, is StateTooDeepError: .stateTooLarge
    case is ActionCrashedError: .actionCrashed
    case SessionSendError.tooDeep: .sendsTooDeep
    case SessionSendError.invalidID: .invalidSessionID
    case let error as RecordedError: kind(of: error.kind)
    default: .effectFailed
    }
  }

  private static func kind(of recorded: ActionFailure.Kind?) -> ProblemKind {
    switch recorded {
    case .crashed: .actionCrashed
    case .stateTooLarge: .stateTooLarge
    case .sendsTooDeep: .sendsTooDeep
    case .invalidSessionID: .invalidSessionID
    case nil: .effectFailed
    }
  }

  init(_ reason: HTTPRejection) {
    func limited(
      _ kind: ProblemKind, _ limit: Int, _ detail: String, headers: HTTPFields = [:]
    ) -> Problem {
      Problem(
        kind, detail, members: [.init("limit", .number(JSONNumber(limit)))], headers: headers)
    }
    switch reason {
    case .bodyTooLarge(let limit):
      self = limited(
        .bodyTooLarge, limit,
        "A body is at most \(limit) bytes here (limits.body). Send less at once.")
    case .headersTooLarge(let limit):
      self = limited(
        .headersTooLarge, limit,
        "The request line and header fields are at most \(limit) bytes here.")
    case .tooManyBodies(let limit):
      self = .beyondShare(
        of: limit, "bytes of bodies (limits.memory)", "Nothing was executed.")
    case .tooManyConnectionsOfAddress(let limit):
      self = limited(
        .rateLimited, limit,
        "An address has at most \(limit) connections here (limits.address). Close one first.",
        headers: ["Retry-After": "5"])
    case .tooManyConnections(let limit):
      self = .beyondShare(
        of: limit, "connections (limits.connections)", "Close one first.", kind: .rateLimited,
        retryAfter: 5)
    case .tooManyStreams(let limit):
      self = .beyondShare(
        of: limit, "streams (the limit of open files)", "Close one first.", retryAfter: 5)
    case .noConnectionLeft:
      self = Problem(
        .unavailable, "All connections are in use (limits.connections). Try again later.",
        headers: ["Retry-After": "5"])
    }
  }
}
