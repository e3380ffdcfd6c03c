internal import ReactorCore

/// What is known of a request from its beginning to its answer.
struct RequestScope: Sendable {
  /// The address that was asked; `nil` for what is none.
  let address: Address?
  let method: String
  /// The request's name, and the trace that it belongs to.
  let context: RequestContext
  /// The page that sent it, where that matters.
  var origin: String?
  var compression = ContentEncodings.Wish.no
  /// What the client's limit says; `nil` without one.
  var verdict: RateLimiter.Verdict?
  /// What the log says of it; `nil` where no line is written.
  var line: AccessLine?

  private init(address: Address?, method: String, context: RequestContext) {
    self.address = address
    self.method = method
    self.context = context
  }

  /// The scope of a request that was refused before it was read.
  static func refused() -> RequestScope {
    RequestScope(address: nil, method: "other", context: RequestContext(id: RequestID.next()))
  }

  /// The scope of a request: no initializer, which would be given a copy of it.
  static func of(_ request: HTTPRequest, at address: Address?) -> RequestScope {
    let id = request[header: .requestID].flatMap { RequestID.isValid($0) ? $0 : nil }
    return RequestScope(
      address: address, method: request.method,
      context: RequestContext(
        id: id ?? RequestID.next(),
        traceparent: request[header: .traceparent].flatMap { TraceParent($0) }?.child()))
  }

  /// What a line of the log has of every request.
  var fields: [(String, String)] {
    [("method", method), ("route", address?.template ?? "none")] + context.logFields
  }
}

/// What the access log says beside that.
struct AccessLine: Sendable {
  let path: String
  let client: ClientAddress?
  private let start = ContinuousClock.now

  init(path: String, client: ClientAddress?) {
    self.path = path
    self.client = client
  }

  var fields: [(String, String)] {
    let time = (ContinuousClock.now - start) / .microseconds(1)
    return [
      ("path", path), ("client", client?.description ?? "unix"),
      ("microseconds", String(Int(time))),
    ]
  }
}
