internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The subscribers of a session.
struct SubscriberEndpoints {
  let host: Host

  private static let collection = "/v1/reactors/{reactor}/sessions/{session}/subscribers"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, Self.collection, needs: .read, traits: [.background, .projected], handler: list,
        operation: Operation(
          "listSubscribers", "The session's subscribers, in pages",
          detail: "`count` is the number of streams, `more` that of the names after the page.",
          parameters: [.reactor, .session, .limit, .afterSubscriber],
          responses: [
            .init(
              200, "A page of subscribers, in the order of their names", headers: [.link],
              .json(.component("Presence")))
          ],
          problems: [
            .invalidParameter, .invalidSessionID, .unknownReactor, .unknownSession, .sessionEnded,
            .notAcceptable,
          ]))
    ]
  }

  private func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    let request = try SessionListRequest("subscribers", call, in: host)
    let session = try await Problem.mapping(
      await request.reactor.streamSource(request.session))
    try call.requireView(of: session, request.reactor, request.session)
    let page = try await Problem.mapping(
      await session.subscribers(after: request.query.text("after"), limit: request.limit))
    let last = page.more > 0 ? page.presence.subscribers.last : nil
    let next = last.map { PercentEncoding.encode($0.name) }
    return .json(PresenceText.json(of: page), headers: request.headers(next: next))
  }
}
