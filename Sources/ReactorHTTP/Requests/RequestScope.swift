internal import ReactorCore
internal import ReactorHost

/// What is known of a request from its beginning to its answer, and the way back to its client.
final class RequestScope: Sendable {
  /// The address that was asked; `nil` for what is none.
  let address: Address?
  let method: String
  /// The request's name, and the trace that it belongs to.
  let context: RequestContext
  /// The page that sent it, where that matters.
  let origin: String?
  let compression: ContentEncodings.Wish
  /// What the client's limit says; `nil` without one.
  let verdict: RateLimiter.Verdict?
  /// What the log says of it; `nil` where no line is written.
  let line: AccessLine?
  private let api: ReactorAPI
  private let answer: HTTPAnswer

  /// The scope of a request.
  init(
    _ request: HTTPRequest, at address: Address?, in api: ReactorAPI, answer: @escaping HTTPAnswer
  ) {
    let id = request[header: .requestID].flatMap { RequestID.isValid($0) ? $0 : nil }
    self.address = address
    method = request.method
    context = RequestContext(
      id: id ?? RequestID.next(),
      traceparent: request[header: .traceparent].flatMap { TraceParent($0) }?.child())
    // The settings are no constant, which would be a copy of all of them.
    origin = api.settings.crossOrigin.isUsed ? request[header: .origin] : nil
    compression =
      api.settings.compression == nil
      ? .no : ContentEncodings.gzip(request[header: .acceptEncoding])
    verdict = api.verdict(on: request, at: address)
    line =
      api.logger.level > api.settings.accessLog
      ? nil
      : AccessLine(path: request.path, client: api.settings.trustedProxies.client(of: request))
    self.api = api
    self.answer = answer
  }

  /// The scope of a request that was refused before it was read.
  init(refusedBy api: ReactorAPI) {
    address = nil
    method = "other"
    context = RequestContext(id: RequestID.next())
    origin = nil
    compression = .no
    verdict = nil
    line = nil
    self.api = api
    answer = { _ in }
  }

  /// Sends a response, with what every one has.
  ///
  /// Any thread.
  func send(_ response: consuming HTTPResponse) {
    answer(api.finish(response, self))
  }

  /// What a line of the log has of every request.
  var fields: [(String, String)] {
    [("method", method), ("route", address?.template ?? "none")] + context.logFields
  }
}

/// What the access log says beside that.
final class AccessLine: Sendable {
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
