internal import Identity
internal import Telemetry
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport

/// The completion of responses.
extension ReactorAPI {
  /// Completes a response and sends it; compresses a large body in the background.
  func finish(
    _ response: consuming HTTPResponse, of scope: RequestScope, then send: @escaping HTTPReply
  ) {
    if let problem = withdrawal(of: scope, isSent: response.status < 300) {
      if case .stream(let stream) = response.body { stream.closed() }
      response = problem.response
    }
    if scope.head.acceptsGzip != .no, let compression = settings.compression,
      compression.isExpensive(response, for: scope.head.acceptsGzip)
    {
      let response = response
      background.enqueue(for: .client(scope.account)) { [self] in
        send(complete(response, of: scope))
      }
      return
    }
    send(complete(response, of: scope))
  }

  /// Returns the problem of a read whose credential or right was withdrawn while its response was created, or `nil`.
  ///
  /// A read can wait for the store, and then contains what was committed later. The response to a change omits the
  /// State by itself, since the change has happened. Whether the decision of the webhook has ended meanwhile matters only
  /// if something is sent.
  private func withdrawal(of scope: RequestScope, isSent: Bool) -> Problem? {
    guard scope.method.isSafe, let authenticator, let known = scope.credential.authentication,
      !authenticator.isCurrent(known) || known.webhook != nil, let resource = scope.resource,
      let right = resource.right(for: scope.method), scope.endpoint != nil
    else { return nil }
    guard let current = authenticator.refresh(known, at: Self.now) else {
      return .unauthorized(.unknownToken)
    }
    do throws(Problem) {
      try require(right, of: current, nil, scope, resource)
      if hasProjections, let reactor = scope.head.reactor, reactor.projector != nil,
        scope.endpoint?.traits.contains(.projected) == false
      {
        let target: Grants.Target =
          resource.reach == .session
          ? .session(reactor: reactor.name, id: scope["session"]) : .reactor(reactor.name)
        guard current.allows(.inspect, to: target) else { return .forbidden(.inspect) }
      }
      guard isSent, current.webhook != nil, resource.reach == .session, scope.head.reactor != nil
      else { return nil }
      switch scope.isKnownToRead(scope["reactor"], scope["session"]) {
      case true?: return nil
      case false?: return current.isAuthenticated ? .forbidden(right) : .unauthorized(nil)
      case nil: return .unavailable("The decision of auth.webhook has ended before the response.")
      }
    } catch {
      return error
    }
  }

  /// Adds the common header fields, compresses the body, updates metrics, writes the access log.
  func complete(_ response: consuming HTTPResponse, of scope: RequestScope) -> HTTPResponse {
    var varied = VaryingFields()
    // The problem of an unknown path can be a page.
    varied.accept = scope.resource?.isNegotiated ?? true
    if !settings.prefix.isEmpty { response.place(below: settings.prefix) }
    response.headers.append("X-Content-Type-Options", constant: "nosniff")
    response.headers.appendRequestID(scope.context.id)
    if features.compresses, scope.method == .get || scope.method == .head {
      varied.acceptEncoding = true
    }
    if scope.head.acceptsGzip != .no, let compression = settings.compression {
      compression.apply(to: &response, for: scope.head.acceptsGzip)
    }
    if features.allowsOrigins {
      varied.origin = true
      response.headers += settings.crossOrigin.responseHeaders(for: scope.head.origin)
    }
    if let vary = varied.value { response.headers.append("Vary", constant: vary) }
    if let rateLimiter, let rate = scope.rate {
      response.headers += rate.headers(limit: rateLimiter.limit)
    }
    let time = scope.stopwatch.microseconds
    metrics.count(scope.resource, scope.method, response, after: time)
    log(response, of: scope, after: time)
    return response
  }

  private func log(_ response: HTTPResponse, of scope: RequestScope, after time: Int) {
    if response.status == 403, response.problem == ProblemKind.forbidden.rawValue {
      recordDenial(of: scope)
    }
    // Responses due to overload or draining would flood the log; only the access log contains them.
    if response.status >= 500, response.problem != ProblemKind.unavailable.rawValue {
      logger.log(
        LogLevel.warning.within(scope.account), "request failed",
        fields: scope.logFields + response.logFields)
    }
    if let line = scope.accessLine {
      logger.log(
        settings.accessLog, "request",
        fields: line.fields(after: time) + scope.logFields + response.logFields)
    }
  }
}

extension HTTPResponse {
  /// Inserts `http.prefix` into `Location`, `Link` and the type of a problem.
  fileprivate mutating func place(below prefix: String) {
    if let location = headers["Location"] { headers.replace("Location", with: prefix + location) }
    if let link = headers["Link"] { headers.replace("Link", with: "<\(prefix)" + link.dropFirst()) }
    if headers["Content-Type"] == Problem.mediaType, case .bytes(var body) = body {
      body.insert(contentsOf: prefix.utf8, at: Problem.typePosition)
      self.body = .bytes(body)
    }
  }

  fileprivate var logFields: [(String, String)] {
    [("status", String(status))] + (problem.map { [("problem", $0)] } ?? [])
  }
}

/// The request fields that a response depends on, for `Vary`.
private struct VaryingFields {
  var accept = false
  var acceptEncoding = false
  var origin = false

  /// The value of `Vary`, or `nil` if the response depends on no field.
  ///
  /// A constant: joining the names would allocate for each response.
  var value: StaticString? {
    switch (accept, acceptEncoding, origin) {
    case (false, false, false): nil
    case (true, false, false): "Accept"
    case (false, true, false): "Accept-Encoding"
    case (false, false, true): "Origin"
    case (true, true, false): "Accept, Accept-Encoding"
    case (true, false, true): "Accept, Origin"
    case (false, true, true): "Accept-Encoding, Origin"
    case (true, true, true): "Accept, Accept-Encoding, Origin"
    }
  }
}
