internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// Tickets: credentials for the URLs of streams, since an `EventSource` cannot send header fields.
struct TicketEndpoints {
  var all: [Endpoint] {
    [
      Endpoint(
        .post, "/v1/tickets", needs: .read, reach: .credential, handler: create,
        operation: Operation(
          "createTicket", "Create a ticket for the URL of one stream",
          detail: """
            `?ticket=` opens a stream with the principal and the rights of this request, once and \
            within 30 seconds. The stream ends when the credential of this request does.
            """,
          body: .component("NewTicket"), isBodyRequired: false,
          responses: [.init(201, "The ticket", .json(.component("Ticket")))],
          problems: [
            .malformedJSON, .foreignOrigin, .notFound, .invalidParameter, .unsupportedMediaType,
            .invalidBody, .notAcceptable, .bodyTooLarge,
          ]))
    ]
  }

  private struct NewTicket: Decodable {
    let isBoundToAddress: Bool?
  }

  private struct Ticket: Encodable {
    let ticket: String
    let expiresAt: String
  }

  private func create(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let wanted = try call.body(NewTicket.self, or: "The body takes an optional isBoundToAddress.")
    let api = call.scope.api
    guard let authenticator = api.authenticator,
      let authentication = call.scope.credential.authentication
    else {
      throw Problem(
        .notFound, "This service needs no tickets: no setting of auth restricts its use.")
    }
    let isBound = wanted?.isBoundToAddress == true
    let address = isBound ? call.scope.client?.description ?? "" : nil
    let now = ReactorAPI.now
    guard let ticket = authenticator.makeTicket(for: authentication, address: address, at: now)
    else {
      throw Problem(
        .invalidParameter, "The claims of the token do not fit into a ticket. Use fewer claims.",
        members: [.init("parameter", "Authorization")])
    }
    var response = HTTPResponse.json(
      encoding: Ticket(
        ticket: ticket.text,
        expiresAt: Timestamp(milliseconds: ticket.expiry * 1000).description),
      headers: ["Cache-Control": "no-store"])
    response.status = 201
    return response
  }
}
