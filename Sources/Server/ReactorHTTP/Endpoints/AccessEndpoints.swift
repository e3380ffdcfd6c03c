internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// Explanations of rights, for administrators.
struct AccessEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/access", needs: .admin, handler: explain,
        operation: Operation(
          "explainAccess", "Why a right is granted or not",
          parameters: [
            .explainedRight, .explainedTarget, .explainedAction, .explainedClaims,
            .explainedRequest,
          ],
          responses: [
            .init(200, "The rules, and what is missing", .json(.component("AccessExplanations")))
          ], problems: [.invalidParameter, .notFound, .notAcceptable]))
    ]
  }

  private struct Explanation: Encodable {
    /// The time of the request that was denied, or `nil` for a question about claims.
    let at: String?
    /// Whether the delegate of the reactor decides after the rules.
    let hasDelegate: Bool
    /// Whether the webhook decides after the rules and before the delegate.
    let hasWebhook: Bool
    let decision: AccessExplanation
  }

  private struct Listing: Encodable {
    let explanations: [Explanation]
  }

  private func explain(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let api = call.scope.api
    guard let authenticator = api.authenticator else {
      throw Problem(.notFound, "Every request is permitted: no setting of auth is used.")
    }
    let query = try call.query()
    let now = ReactorAPI.now
    func explanation(
      _ decision: AccessExplanation, on target: Grants.Target, at time: Timestamp? = nil
    ) -> Explanation {
      let reactor: String? =
        switch target {
        case .session(let reactor, _), .reactor(let reactor): reactor
        case .service: nil
        }
      return Explanation(
        at: time?.description,
        hasDelegate: reactor.flatMap { host.reactor($0)?.hasDelegate } ?? false,
        hasWebhook: authenticator.anonymous.webhook != nil, decision: decision)
    }
    if let request = query["request"] {
      let denials = api.denials.find(request)
      guard !denials.isEmpty else {
        throw Problem(
          .notFound,
          """
          This process has not denied a request with this id, or has denied \(Denials.limit) others since. Ask \
          the node that has responded.
          """)
      }
      return .json(
        encoding: Listing(
          explanations: denials.map {
            explanation(
              authenticator.explain(
                $0.authentication, $0.missing.right, to: $0.missing.target, for: $0.missing.use,
                at: now),
              on: $0.missing.target, at: $0.time)
          }))
    }
    guard let name = try query.choice("right", of: Right.allCases.map(\.name)),
      let right = Right(name: name)
    else {
      throw .invalid(parameter: "right", "Ask for a right: \(Right.names).")
    }
    let target = Grants.Target(name: query["on"])
    let use = query.text("do").map { Grants.Use.action($0) } ?? .some
    let claims = query.text("claims").map { Array($0.utf8) }
    guard let decision = authenticator.explain(claims: claims, right, to: target, for: use, at: now)
    else {
      throw .invalid(
        parameter: "claims", "Expected the claims of a token as a JSON object with sub.")
    }
    return .json(encoding: Listing(explanations: [explanation(decision, on: target)]))
  }
}
