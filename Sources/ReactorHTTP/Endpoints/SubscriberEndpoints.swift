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
        .get, Self.collection, needs: .read, traits: .background, handler: list,
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

  private func list(_ call: Call) throws(Problem) {
    let request = try SessionListRequest("subscribers", call, in: host)
    let after = request.query.text("after")
    call.streamSource(of: request.reactor, request.session, in: host) {
      [reply = call.reply] result in
      let presence: Presence
      switch result {
      case .success(let session): presence = session.presence
      case .failure(let error): return reply(Problem(error))
      }
      let rest = presence.subscribers.drop { !$0.name.utf8.isAfter(after?.utf8) }
      let page = PresenceText.page(of: rest, limit: request.limit)
      let more = rest.count - page.count
      let next = more > 0 ? page.last.map { PercentEncoding.encode($0.name) } : nil
      reply(
        .json(
          PresenceText.json(of: presence.count, page, more: more),
          headers: request.headers(next: next)))
    }
  }
}

extension String.UTF8View {
  /// Whether a text follows another one in the order of bytes; every text follows `nil`.
  fileprivate func isAfter(_ other: String.UTF8View?) -> Bool {
    other?.lexicographicallyPrecedes(self) ?? true
  }
}
