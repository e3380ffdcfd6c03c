internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The running effects of a session.
struct EffectEndpoints {
  let host: Host

  private static let collection = "/v1/reactors/{reactor}/sessions/{session}/effects"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, Self.collection, needs: .read, handler: list,
        operation: Operation(
          "listEffects", "The session's running effects, in pages",
          parameters: [.reactor, .session, .limit, .afterEffect],
          responses: [
            .init(
              200, "A page of effects, the earliest first", headers: [.link],
              .json(.component("EffectList")))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
            .notAcceptable,
          ])),
      Endpoint(
        .delete, Self.collection + "/{effect}", needs: .manage, traits: .projected,
        where: { !$0[2].isEmpty }, handler: cancel,
        operation: Operation(
          "cancelEffect", "Cancel a running effect",
          detail: """
            Its committed mutations stay. Its action counts as completed: pending requests for it \
            get their response, and it is not run again.
            """,
          parameters: [.reactor, .session, .effect],
          responses: [.init(204, "It does not run, or never did")],
          problems: [
            .invalidSessionID, .foreignOrigin, .unknownReactor, .unknownSession, .sessionEnded,
            .storageFull,
          ])),
    ]
  }

  private struct Listing: Encodable {
    let effects: [Entry]
  }

  private struct Entry: Encodable {
    let effect: RunningEffect

    private enum CodingKeys: CodingKey {
      case id, action, startedAt, progress, unreadable
    }

    /// Encodes all members, including those that are `null`.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(effect.id, forKey: .id)
      try container.encode(
        effect.action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(effect.startedAt.description, forKey: .startedAt)
      try container.encode(effect.progress, forKey: .progress)
      try container.encode(effect.isUnreadable, forKey: .unreadable)
    }
  }

  private func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    let request = try SessionListRequest("effects", call, in: host)
    guard
      case .open(let session) = try await call.findSession(of: request.reactor, request.session)
    else { return .json(encoding: Listing(effects: [])) }
    // One more than requested shows whether there is a next page.
    let effects = try await Problem.mapping(
      await session.effects(after: request.query["after"], limit: request.limit + 1))
    let page = Self.page(of: effects, limit: request.limit)
    let next = effects.count > page.count ? page.last?.id : nil
    return .json(
      encoding: Listing(effects: page.map { Entry(effect: $0) }),
      headers: request.headers(next: next))
  }

  /// Returns the first effects of a list, within the bounds of a page; at least one.
  static func page(of effects: [RunningEffect], limit: Int) -> ArraySlice<RunningEffect> {
    // An action can be as large as a body.
    effects.page(limit: limit) { $0.action?.count ?? 0 }
  }

  private func cancel(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    if case .open(let session) = try await call.findSession(of: reactor, try call.sessionID()) {
      try await Problem.mapping(await session.cancelEffect(call["effect"]))
    }
    return HTTPResponse(status: 204)
  }
}
