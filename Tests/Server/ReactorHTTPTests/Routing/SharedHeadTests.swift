import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Requests of a connection that repeat a head share it.
@Suite struct SharedHeadTests {
  @Test func `requests that share a head share its reading and nothing else`() throws {
    let service = Service()
    let head = head()
    let first = try act(1, head, service)
    let reading = try #require(head.reading)
    let second = try act(2, head, service)
    #expect(head.reading === reading)
    #expect(first.text == #"{"value":1,"label":"none"}"#)
    #expect(second.text == #"{"value":3,"label":"none"}"#)
    let ids = [first, second].map { $0[field: "X-Request-Id"] }
    #expect(ids[0] != nil && ids[0] != ids[1])
  }

  @Test func `an id that the client has chosen is the id of each request`() throws {
    let service = Service()
    let head = head([(.requestID, "mine")])
    for _ in 0..<2 { #expect(try act(1, head, service)[field: "X-Request-Id"] == "mine") }
  }

  @Test func `a head of a foreign page is rejected each time`() throws {
    let service = Service()
    let head = head([(.host, "a"), (.origin, "http://b")])
    for _ in 0..<2 { #expect(try act(1, head, service).problem == "403 foreign-origin") }
  }

  @Test func `the credential of a shared head is verified for each request`() throws {
    let service = Service(settings: {
      $0.authentication = .tokens("token-of-user-ada-01 act number as=ada")
    })
    let head = head([(.authorization, "Bearer token-of-user-ada-01")])
    #expect(try act(1, head, service).status == 200)
    service.api.replaceAuthentication(.tokens("another-token-of-it act number"))
    #expect(try act(1, head, service).problem == "401 unauthorized")
  }

  @Test func `the rate of a shared head is counted for each request`() throws {
    let service = Service(settings: { $0.limits.rate = 1 })
    let head = head()
    let statuses = try (0..<3).map { _ in try act(1, head, service).status }
    #expect(statuses.first == 200)
    #expect(statuses.contains(429))
  }

  @Test func `another service reads the head itself`() throws {
    let head = head([(.origin, "http://b"), (.host, "a")])
    #expect(try act(1, head, Service()).status == 403)
    let origins = AllowedOrigins(["http://b"]) ?? AllowedOrigins()
    let other = Service(settings: { $0.crossOrigin.origins = origins })
    #expect(try act(1, head, other).status == 200)
  }

  private func head(_ headers: [(name: HTTPHeader, value: String)] = []) -> HTTPRequestHead {
    HTTPRequestHead(
      method: "POST", path: WireText("\(Service.root)/demo/actions"), query: nil,
      headers: HTTPRequestHeaders([(.contentType, "application/json")] + headers), hasBody: true,
      peer: ClientAddress(version4: 7))
  }

  private func act(
    _ number: Int, _ head: HTTPRequestHead, _ service: Service
  ) throws -> HTTPResponse {
    let responses = Recorder<HTTPResponse>()
    let request = HTTPRequest(head, body: Array(#"{"add":\#(number)}"#.utf8))
    service.api.respond(to: request, reply: { responses.add($0) })
    return try #require(responses.values.first)
  }
}
