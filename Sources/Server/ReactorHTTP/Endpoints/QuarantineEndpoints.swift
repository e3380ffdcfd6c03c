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
      let session: String?
      let action: String?
      let at: String
      let signal: String
    }

    let quarantine: [Entry]
  }

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let entries = (host.settings.marking?.quarantined ?? []).map {
      Listing.Entry(
        reactor: $0.session.reactor, session: $0.session.id.isEmpty ? nil : $0.session.id,
        action: $0.action,
        at: $0.at.description, signal: $0.signal)
    }
    return .json(encoding: Listing(quarantine: entries))
  }

  private func clear(_ call: Call) -> HTTPResponse {
    host.settings.marking?.clearQuarantine()
    return HTTPResponse(status: 204)
  }
}
