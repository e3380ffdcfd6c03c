internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// Credentials that are revoked before they expire; the store has them, for all services on it.
struct RevocationEndpoints {
  let revocations: Global<[Revocation]>?

  private static let collection = "/v1/revocations"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, Self.collection, needs: .admin, handler: list,
        operation: Operation(
          "listRevocations", "The credentials that are not accepted any more",
          content: .json(.component("RevocationList")))),
      Endpoint(
        .post, Self.collection, needs: .admin, handler: revoke,
        operation: Operation(
          "revoke", "Revoke credentials before they expire",
          detail: """
            A credential is revoked if it has all properties that the body names. Streams with it end within \
            a second, on all nodes.
            """,
          body: .component("NewRevocation"),
          responses: [.init(201, "It is stored and in force", .json(.component("Revocation")))],
          problems: [
            .malformedJSON, .foreignOrigin, .notFound, .unsupportedMediaType, .invalidBody,
            .notAcceptable, .bodyTooLarge, .changeTooLarge, .storageFull,
          ])),
      Endpoint(
        .delete, Self.collection + "/{revocation}", needs: .admin, handler: remove,
        operation: Operation(
          "removeRevocation", "Accept the credentials again", parameters: [.revocation],
          responses: [.init(204, "It is not in force any more, or does not exist")],
          problems: [.foreignOrigin, .notFound, .changeTooLarge, .storageFull])),
    ]
  }

  private struct Representation: Encodable {
    let id: String
    let jti: String?
    let sub: String?
    let issuer: String?
    let issuedBefore: WallTime?
    let until: WallTime?

    init(_ revocation: Revocation) {
      func time(_ seconds: Int64?) -> WallTime? {
        seconds.map { WallTime(seconds: $0) }
      }
      id = revocation.id
      jti = revocation.token
      sub = revocation.subject
      issuer = revocation.issuer
      issuedBefore = time(revocation.issuedBefore)
      until = time(revocation.until)
    }
  }

  private struct Listing: Encodable {
    let revocations: [Representation]
  }

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let now = ReactorAPI.now
    let current = (revocations?.value ?? []).filter { $0.until.map { now < $0 } ?? true }
    return .json(encoding: Listing(revocations: current.map { Representation($0) }))
  }

  private func revoke(_ call: Call) async throws(Problem) -> HTTPResponse {
    try call.negotiate()
    try call.requireJSON()
    guard let revocations, call.scope.api.authenticator != nil else {
      throw Problem(
        .notFound, "This service has no credentials to revoke: no setting of auth is used.")
    }
    do throws(JSONSyntaxError) {
      _ = try JSONDocument(parsing: call.request.body)
    } catch {
      throw Problem(.malformed(offset: error.offset, reason: error.reason), kind: .invalidBody)
    }
    let now = ReactorAPI.now
    var revocation: Revocation
    do throws(Revocation.SyntaxError) {
      revocation = try Revocation(call.request.body, id: SessionKey.generatedID())
    } catch {
      throw Problem(
        .invalidBody, error.reason, members: [.init("pointer", .string(error.pointer))])
    }
    // Without a time, a token that is issued later is valid. The second of the request is included.
    if revocation.token == nil, revocation.issuedBefore == nil {
      revocation.issuedBefore = now + 1
    }
    try await change(revocations, call) { [revocation] statements in
      let current = statements.filter { $0.until.map { now < $0 } ?? true }
      return current.count < Revocation.limit ? current + [revocation] : nil
    }
    var response = HTTPResponse.json(encoding: Representation(revocation))
    response.status = 201
    return response
  }

  private func remove(_ call: Call) async throws(Problem) -> HTTPResponse {
    guard let revocations else {
      throw Problem(
        .notFound, "This service has no credentials to revoke: no setting of auth is used.")
    }
    let id = call["revocation"]
    guard SessionKey.isValid(id: id) else {
      throw Problem(.notFound, "No revocation has this id. GET /v1/revocations lists the ids.")
    }
    try await change(revocations, call) {
      $0.filter { !$0.id.utf8.elementsEqual(id.utf8) }
    }
    return HTTPResponse(status: 204)
  }

  /// Stores other statements and applies them.
  private func change(
    _ revocations: Global<[Revocation]>, _ call: Call, to next: ([Revocation]) -> [Revocation]?
  ) async throws(Problem) {
    do throws(LogError) {
      try await revocations.update(next)
    } catch .tooLarge {
      throw Problem(
        .changeTooLarge,
        """
        The service stores at most \(Revocation.limit) revocations. Remove some, or set until, the time at \
        which the last of the tokens expires.
        """)
    } catch {
      throw Problem(error)
    }
    call.scope.api.revoke(revocations.value)
  }
}
