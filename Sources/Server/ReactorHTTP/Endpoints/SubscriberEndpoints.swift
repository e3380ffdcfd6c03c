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

  private func list(_ call: Call) throws(Problem) {
    let request = try SessionListRequest("subscribers", call, in: host)
    let after = request.query.text("after")
    call.start { [reply = call.reply] () throws(Problem) in
      let session: any SessionSource
      do throws(SessionError) {
        session = try await call.streamSource(of: request.reactor, request.session, in: host)
      } catch {
        throw Problem(error)
      }
      try call.requireView(of: session, request.reactor, request.session)
      session.subscribers(after: after, limit: request.limit) { result in
        switch result {
        case .success(let page):
          let last = page.more > 0 ? page.presence.subscribers.last : nil
          let next = last.map { PercentEncoding.encode($0.name) }
          reply(.json(PresenceText.json(of: page), headers: request.headers(next: next)))
        case .failure(let error): reply(Problem(error))
        }
      }
    }
  }
}
