internal import Identity
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The actions and sessions that have crashed the service and are not executed any more.
struct QuarantineEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/quarantine", needs: .admin, handler: list,
        operation: Operation(
          "listQuarantine", "The actions that have crashed the service and are rejected",
          content: .json(.component("Quarantine")))),
      Endpoint(
        .delete, "/v1/quarantine", needs: .admin, handler: clear,
        operation: Operation(
          "clearQuarantine", "Permit the quarantined actions again",
          responses: [.init(204, "The quarantine is empty")], problems: [.foreignOrigin])),
    ]
  }

  private struct Listing: Encodable {
    struct Entry: Encodable {
      let reactor: String
      let session: String
      let action: String?
      let at: String
      let signal: String

      private enum CodingKeys: CodingKey {
        case reactor, session, action, at, signal
      }

      /// All members are always present.
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(reactor, forKey: .reactor)
        try container.encode(session, forKey: .session)
        try container.encode(action, forKey: .action)
        try container.encode(at, forKey: .at)
        try container.encode(signal, forKey: .signal)
      }
    }

    let quarantine: [Entry]
  }

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let entries = (host.settings.marking?.quarantined ?? []).map {
      Listing.Entry(
        reactor: $0.session.reactor, session: $0.session.id, action: $0.action,
        at: $0.at.description, signal: $0.signal)
    }
    return .json(encoding: Listing(quarantine: entries))
  }

  private func clear(_ call: Call) -> HTTPResponse {
    host.settings.marking?.clearQuarantine()
    return HTTPResponse(status: 204)
  }
}
