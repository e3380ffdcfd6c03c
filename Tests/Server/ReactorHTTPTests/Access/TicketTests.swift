import Identity
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Tickets for the URLs of streams.
struct TicketTests {
  private let service: Service
  private static let claims = #"{"sub":"ada","scope":"reactord:act"}"#
  private let token: [(name: HTTPHeader, value: String)]

  init() throws {
    let configuration = try SignedToken.configuration()
    service = Service(settings: { $0.authentication = configuration })
    token = [(.authorization, "Bearer \(SignedToken.make(Self.claims))")]
  }

  private func ticket(_ body: String? = nil) throws -> String {
    let response = try service.ask("POST", "/v1/tickets", token, body: body)
    #expect(response.status == 201)
    #expect(response[field: "Cache-Control"] == "no-store")
    let part = response.text.split(separator: #""ticket":""#).last ?? ""
    return String(part.prefix { $0 != "\"" })
  }

  private let events = "\(Service.root)/demo/events?ticket="

  @Test func `a ticket opens one stream, once`() throws {
    let ticket = try ticket()
    #expect(try service.ask("GET", events + ticket).status == 200)
    let second = try service.ask("GET", events + ticket)
    #expect(second.problem == "401 unauthorized")
    #expect(second[field: "WWW-Authenticate"]?.contains("ticket") == true)
    #expect(!second.text.contains(ticket))
  }

  @Test func `a request that the transport rejects does not use its ticket`() throws {
    let ticket = try ticket()
    let request = HTTPRequest(
      method: "GET", path: "\(Service.root)/demo/events", query: "ticket=\(ticket)")
    #expect(service.api.lane(for: request) == .immediate)
    #expect(service.api.rejection(for: .noConnectionLeft, of: request).status == 503)
    #expect(try service.ask("GET", events + ticket).status == 200)
  }

  @Test func `a ticket is accepted by streams only`() throws {
    let ticket = try ticket()
    #expect(
      try service.ask("GET", "\(Service.root)/demo/state?ticket=\(ticket)").problem
        == "401 unauthorized")
    #expect(
      try service.ask("POST", "\(Service.root)/demo/actions?ticket=\(ticket)", body: #"{"add":1}"#)
        .problem == "401 unauthorized")
    #expect(try service.ask("GET", "/v1/events?session=number/a&ticket=\(ticket)").status == 200)
  }

  @Test func `a changed or foreign ticket is rejected`() throws {
    let ticket = try ticket()
    for text in [ticket.dropLast() + "A", "a" + ticket.dropFirst(), "", "a.b", "..."] {
      let response = try service.ask("GET", events + text)
      #expect(response.status == (text == ticket ? 200 : 401), "\(text)")
    }
    let configuration = try SignedToken.configuration()
    let other = Service(settings: { $0.authentication = configuration })
    #expect(try other.ask("GET", events + ticket).problem == "401 unauthorized")
  }

  @Test func `a ticket can be bound to the address of its request`() throws {
    // The request for the ticket has no peer address, as over a Unix-domain socket.
    let ticket = try ticket(#"{"isBoundToAddress":true}"#)
    let responses = Recorder<HTTPResponse>()
    let target = events.split(separator: "?").map(String.init)
    for address in ["192.0.2.1", nil] {
      service.api.respond(
        to: HTTPRequest(
          method: "GET", path: target[0], query: target[1] + ticket,
          peer: address.flatMap { ClientAddress($0) }),
        reply: { responses.add($0) })
    }
    #expect(responses.values.map(\.status) == [401, 200])
  }

  @Test func `a stream opened with a ticket ends with the token that it stands for`() throws {
    let configuration = try SignedToken.configuration()
    let service = Service(settings: { $0.authentication = configuration })
    let response = try service.ask("POST", "/v1/tickets", token)
    #expect(response.status == 201)
    let text = response.text.split(separator: #""ticket":""#).last?.prefix { $0 != "\"" } ?? ""
    let reader = try service.open(events + text).skipOpening()
    service.api.replaceAuthentication(.tokens("another-token-of-it act number"))
    #expect(reader.read() == ["expired {}"])
  }

  @Test func `a malformed body is a problem`() throws {
    for (body, expected) in [("[]", "422 invalid-body"), ("{", "400 malformed-json")] {
      #expect(try service.ask("POST", "/v1/tickets", token, body: body).problem == expected)
    }
  }

  @Test func `a service without credentials has no tickets`() throws {
    #expect(try Service().ask("POST", "/v1/tickets").problem == "404 not-found")
  }
}
