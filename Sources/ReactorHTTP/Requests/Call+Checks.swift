internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// Checks that several handlers share.
extension Call {
  /// The reactor in the path.
  func reactor(in host: Host) throws(Problem) -> any HostedReactor {
    try host.hostedReactor(self["reactor"])
  }

  /// The session id in the path.
  func sessionID() throws(Problem) -> String {
    let id = self["session"]
    guard SessionKey.isValid(id: id) else { throw .invalidSessionID() }
    return id
  }

  /// The parameters of the query.
  func query() throws(Problem) -> Query { try Query(request.query) }

  /// Rejects a body that is not declared as JSON.
  func requireJSON() throws(Problem) {
    guard request.hasBody || request[header: .contentType] != nil else { return }
    if let encoding = request[header: .contentEncoding], encoding.lowercased() != "identity" {
      throw Problem(
        .unsupportedMediaType, "Send the body without a Content-Encoding.",
        headers: ["Accept-Encoding": "identity"])
    }
    guard let type = request[header: .contentType], MediaTypes.isJSON(type) else {
      throw Problem(
        .unsupportedMediaType, "Send the body with Content-Type: application/json.",
        headers: ["Accept": "application/json", "Accept-Post": "application/json"])
    }
  }

  /// Rejects a client that does not accept the media type of the response.
  func negotiate(_ offered: String = "application/json") throws(Problem) {
    if request[header: .accept] != nil { _ = try choose(from: [offered]) }
  }

  /// Chooses the media type of the response; rejects a client that accepts none.
  func choose(from offered: [String]) throws(Problem) -> String {
    guard let type = MediaTypes.choose(from: offered, accept: request[header: .accept]) else {
      throw Problem(
        .notAcceptable, "This address offers \(offered.joined(separator: " or ")).",
        members: [.init("offered", .array(offered.map { .string($0) }))])
    }
    return type
  }

  /// Passes the session to a function, or sends the problem that there is none.
  func withSession(
    of reactor: any HostedReactor, _ id: String,
    _ body: @escaping @Sendable (any Session) throws(Problem) -> Void
  ) {
    reactor.session(id, for: .use) { [reply] result in
      switch result {
      case .success(let opened):
        do throws(Problem) {
          try body(opened.session)
        } catch {
          reply(error)
        }
      case .failure(let error): reply(Problem(error))
      }
    }
  }
}

extension Host {
  /// The reactor with a name.
  func hostedReactor(_ name: String) throws(Problem) -> any HostedReactor {
    guard let reactor = reactor(name) else {
      throw Problem(
        .unknownReactor, "No reactor is hosted under this name. GET /v1/reactors lists them.")
    }
    return reactor
  }

  /// The global with a name.
  func sharedGlobal(_ name: String) throws(Problem) -> any SharedGlobal {
    guard let global = global(name) else {
      throw Problem(
        .unknownGlobal, "No global is hosted under this name. GET /v1/globals lists them.")
    }
    return global
  }
}
