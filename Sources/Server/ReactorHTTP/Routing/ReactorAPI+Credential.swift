internal import Identity
internal import ReactorLog
internal import ReactorTransport

extension ReactorAPI {
  /// Reads and verifies the credential of a request.
  ///
  /// A bearer token comes before a ticket, and both before the cookie, which a browser adds by itself.
  /// An accepted ticket cannot be used again.
  func credential(
    of request: HTTPRequest, from client: ClientAddress?, at resource: Resource?,
    _ method: HTTPMethod, acceptsTicket: Bool = true
  ) -> Credential {
    guard let authenticator, let resource, method != .options, resource.right(for: method) != nil
    else { return .notNeeded }
    let now = Self.now
    let account = HeadReading.reading(request, in: self).account
    func isPermitted() -> Bool { client.map { failureLimiter.hasRoom(for: $0) } ?? true }
    do throws(Authenticator.Failure) {
      if let field = request.authorization {
        if let access = try authenticator.authenticate(
          field, at: now, in: ledger, for: account, ifPermitted: isPermitted)
        {
          return .field(access)
        }
      } else if let token = tokenInQuery(of: request, at: resource) {
        return .valid(
          try authenticator.authenticate(
            Array(token.utf8), at: now, for: account, ifPermitted: isPermitted),
          isCookie: false)
      }
      if acceptsTicket, resource.isStream, let ticket = queryValue("ticket", of: request) {
        let address = client?.description ?? ""
        return .valid(
          try authenticator.authenticate(
            ticket: Array(ticket.utf8), address: address, at: now, ifPermitted: isPermitted),
          isCookie: false)
      }
      if let name = settings.cookie, let token = Self.cookie(name, of: request),
        settings.crossOrigin.acceptsCookie(of: request)
      {
        return .valid(
          try authenticator.authenticate(
            cookie: Array(token), at: now, for: account, ifPermitted: isPermitted),
          isCookie: true)
      }
    } catch {
      if case .pending(let decision) = error { return .pending(decision) }
      return .invalid(error)
    }
    return .valid(authenticator.anonymous, isCookie: false)
  }

  /// Returns the value of `?access_token=` on streams, with `auth.query`: an `EventSource` cannot
  /// set header fields.
  private func tokenInQuery(of request: HTTPRequest, at resource: Resource) -> String? {
    guard settings.takesTokenInQuery, resource.isStream else { return nil }
    return queryValue("access_token", of: request)
  }

  /// Returns a parameter of the query; `nil` also for a malformed query, which the endpoint
  /// rejects.
  private func queryValue(_ name: StaticString, of request: HTTPRequest) -> String? {
    (try? Query(request.query)).flatMap { $0[name] }
  }

  /// Returns the value of a cookie (RFC 6265, 5.4): the first one with the name, compared as bytes.
  static func cookie(_ name: String, of request: HTTPRequest) -> Substring.UTF8View? {
    guard let field = request[header: .cookie] else { return nil }
    for pair in field[...].utf8.split(separator: UInt8(ascii: ";")) {
      let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard pair.starts(with: name.utf8) else { continue }
      let rest = pair.dropFirst(name.utf8.count)
      guard rest.first == UInt8(ascii: "=") else { continue }
      return Substring(rest.dropFirst()).utf8
    }
    return nil
  }

  /// Whether a request presents a credential, valid or not.
  func presentsCredential(_ scope: RequestScope) -> Bool {
    switch scope.credential {
    case .notNeeded: false
    case .valid(let authentication, _): authentication.isAuthenticated
    case .field, .invalid, .pending: true
    }
  }
}
