import Identity
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `/v1/revocations`.
struct RevocationEndpointTests {
  private static func bearer(_ claims: String) -> [(name: HTTPHeader, value: String)] {
    [(.authorization, "Bearer \(SignedToken.make(claims))")]
  }

  private static let admin = bearer(#"{"sub":"root","scope":"reactord:admin"}"#)

  private func service(_ log: MemoryLog = MemoryLog()) throws -> Service {
    let configuration = try SignedToken.configuration(rules: #"[{"allow":"manage"}]"#)
    return Service(log: log, settings: { $0.authentication = configuration })
  }

  private func isAccepted(_ claims: String, by service: Service) throws -> Bool {
    let response = try service.ask("GET", "\(Service.root)/demo/state", Self.bearer(claims))
    #expect([200, 401].contains(response.status))
    return response.status == 200
  }

  private func revoke(_ body: String, at service: Service) throws -> HTTPResponse {
    try service.ask("POST", "/v1/revocations", Self.admin, body: body)
  }

  @Test func `tokens are revoked by jti, by sub and by issuer, with the time of their issue`()
    throws
  {
    let service = try service()
    let one = #"{"sub":"ada","jti":"1","iss":"https://a.example","iat":100}"#
    let two = #"{"sub":"ada","jti":"2","iss":"https://b.example","iat":200}"#
    let three = #"{"sub":"eve","jti":"3","iss":"https://b.example"}"#
    #expect(try [one, two, three].allSatisfy { try isAccepted($0, by: service) })
    #expect(try revoke(#"{"jti":"1"}"#, at: service).status == 201)
    #expect(try [one, two, three].map { try isAccepted($0, by: service) } == [false, true, true])
    let before = #"{"sub":"ada","issuedBefore":"1970-01-01T00:03:20Z"}"#
    #expect(try revoke(before, at: service).status == 201)
    #expect(try isAccepted(two, by: service))
    let after = #"{"sub":"ada","issuedBefore":"1970-01-01T00:03:21Z"}"#
    #expect(try revoke(after, at: service).status == 201)
    #expect(try [two, three].map { try isAccepted($0, by: service) } == [false, true])
    #expect(try revoke(#"{"issuer":"https://b.example"}"#, at: service).status == 201)
    #expect(try !isAccepted(three, by: service))
    let rejected = try service.ask("GET", "\(Service.root)/demo/state", Self.bearer(three))
    #expect(rejected[field: "WWW-Authenticate"]?.contains("The token was revoked") == true)
  }

  @Test func `a login after the revocation of a principal is valid`() throws {
    let service = try service()
    let response = try revoke(#"{"sub":"ada"}"#, at: service)
    #expect(response.text.contains(#""issuedBefore":""#))
    #expect(try !isAccepted(#"{"sub":"ada","iat":\#(ReactorAPI.now - 5)}"#, by: service))
    var configuration = try SignedToken.configuration(rules: #"[{"allow":"manage"}]"#)
    var rules = TokenVerifier.Rules()
    rules.leeway = 60
    configuration.verifier = configuration.verifier.map {
      TokenVerifier(keys: $0.keys, rules: rules)
    }
    service.api.replaceAuthentication(configuration)
    #expect(try isAccepted(#"{"sub":"ada","iat":\#(ReactorAPI.now + 10)}"#, by: service))
  }

  @Test func `revocations are listed, removed, and in the store`() throws {
    let log = MemoryLog(changeRetention: .seconds(3_600))
    let first = try service(log)
    let created = try revoke(#"{"jti":"7","until":"2100-01-01T00:00:00Z"}"#, at: first)
    #expect(created.text.contains(#""until":"2100-01-01T00:00:00.000Z""#))
    // Another process with the same store.
    let second = try service(log)
    let token = #"{"sub":"ada","jti":"7"}"#
    #expect(try !isAccepted(token, by: second))
    let list = try second.ask("GET", "/v1/revocations", Self.admin).text
    #expect(list.contains(#""jti":"7""#))
    let id = try #require(list.split(separator: "\"").drop { $0 != "id" }.dropFirst(2).first)
    #expect(try second.ask("DELETE", "/v1/revocations/\(id)", Self.admin).status == 204)
    for id in ["%C3%97", "a%20b", "a%2Fb"] {
      #expect(try second.ask("DELETE", "/v1/revocations/\(id)", Self.admin).status == 404)
    }
    #expect(try isAccepted(token, by: second))
    #expect(try second.ask("GET", "/v1/revocations", Self.admin).text == #"{"revocations":[]}"#)
    // Neither a global nor a change shows them.
    #expect(try !second.ask("GET", "/v1/globals", Self.admin).text.contains("reactord"))
    #expect(
      try second.ask("GET", "/v1/globals/\(Revocation.storedName)", Self.admin).status == 404)
    #expect(try !second.ask("GET", "/v1/changes", Self.admin).text.contains("reactord"))
  }

  @Test(arguments: [
    ("{", 400), ("[]", 422), ("{}", 422), (#"{"sub":7}"#, 422), (#"{"sub":"a","who":"b"}"#, 422),
    (#"{"sub":"a","until":"tomorrow"}"#, 422), (#"{"sub":"a","sub":"b"}"#, 422),
  ])
  func `a malformed body revokes nothing`(body: String, status: Int) throws {
    let service = try service()
    #expect(try revoke(body, at: service).status == status)
    #expect(try service.ask("GET", "/v1/revocations", Self.admin).text == #"{"revocations":[]}"#)
  }

  @Test func `the number of revocations is bounded, and those that have expired make room`() throws
  {
    let service = try service()
    let revocations = try #require(service.api.settings.revocations)
    func statements(_ until: String) throws -> [Revocation] {
      let body = Array(#"{"sub":"x","until":"\#(until)"}"#.utf8)
      return try (0..<Revocation.limit).map { try Revocation(body, id: "\($0)") }
    }
    try revocations.set(statements("2100-01-01T00:00:00Z"))
    #expect(try revoke(#"{"sub":"ada"}"#, at: service).problem == "507 change-too-large")
    try revocations.set(statements("2000-01-01T00:00:00Z"))
    #expect(try revoke(#"{"sub":"ada"}"#, at: service).status == 201)
    #expect(revocations.value.count == 1)
  }

  @Test(arguments: [Int64.max, .min, -1, 253_402_300_800])
  func `a stored time that is damaged is listed as one that can be written`(time: Int64) throws {
    let service = try service()
    let revocations = try #require(service.api.settings.revocations)
    var damaged = try Revocation(Array(#"{"sub":"eve"}"#.utf8), id: "1")
    damaged.issuedBefore = time
    try revocations.set([damaged])
    let list = try service.ask("GET", "/v1/revocations", Self.admin)
    let expected = time < 0 ? "1970-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.000Z"
    #expect(list.text.contains(#""issuedBefore":"\#(expected)""#), "\(list.text)")
  }

  @Test func `a service without authentication has nothing to revoke`() throws {
    let service = Service()
    let response = try service.ask("POST", "/v1/revocations", body: #"{"sub":"ada"}"#)
    #expect(response.problem == "404 not-found")
  }
}
