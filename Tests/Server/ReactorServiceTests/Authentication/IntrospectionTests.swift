import ClientCore
import Foundation
import Identity
import ReactorCore
import Shares
import Synchronization
import Telemetry
import Testing

@testable import ReactorService

/// The introspection of opaque tokens.
struct IntrospectionTests {
  /// An issuer in the process of the test, with a clock that the test sets.
  private final class Issuer: Sendable {
    struct State: Sendable {
      var time: Int64 = 1_000
      var response: Result<ProviderResponse, ProviderFailure> = .failure(.init(reason: "down"))
      var requests: [TransportRequest] = []
    }

    let state = Mutex(State())

    func respond(_ body: String, status: Int = 200, maxAge: Int64? = nil) {
      state.withLock {
        $0.response = .success(
          ProviderResponse(status: status, body: Array(body.utf8), maxAge: maxAge))
      }
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
  }

  private let issuer = Issuer()
  private let authenticator: Authenticator
  private let ledger = Ledger()

  init() throws {
    authenticator = Authenticator(try Self.configuration(issuer, ledger))
  }

  private static func configuration(
    _ issuer: Issuer, _ ledger: Ledger, at url: String = "https://a.example/introspect",
    client: String = "reactord", secret: String = "a secret:with%signs",
    for audience: [String] = ["shop"], naming name: String = "corp"
  ) throws -> Authenticator.Configuration {
    let issuers =
      #"[{"issuer":"https://corp.example","audience":[],"name":"\#(name)"}]"#
    let settings = Introspection.Settings(
      url: try #require(ProviderURL(url)), client: (client, secret), audience: audience,
      qualifiers: IntrospectionQualifiers(
        try TrustedIssuer.list(of: Array(issuers.utf8))))
    var configuration = Authenticator.Configuration()
    configuration.rules = try AccessRule.list(
      of: Array(#"[{"allow":"act","to":"cart/{sub}"}]"#.utf8))
    configuration.introspection = Introspection(
      settings, .silent, ProviderQueue(ledger), clock: { issuer.state.withLock { $0.time } },
      send: { request in
        issuer.state.withLock { state in
          state.requests.append(request)
          return state.response
        }
      })
    configuration.ticketKey = Array(repeating: 7, count: 32)
    return configuration
  }

  /// Authenticates a token at a time, after the response of the issuer.
  private func authenticate(
    _ token: String, at time: Int64 = 1_000
  ) async throws -> Authentication {
    issuer.state.withLock { $0.time = time }
    await authenticator.pendingDecision(on: Array(token.utf8), at: time)?.wait()
    return try authenticator.authenticate(Array(token.utf8), at: time)
  }

  private static let active =
    #"{"active":true,"sub":"ada","aud":"shop","exp":1200,"iss":"https://corp.example"}"#

  @Test func `an active token has the principal of the response, until its expiry`() async throws {
    issuer.respond(Self.active)
    let access = try await authenticate("opaque")
    #expect(access.principal?.id == "ada")
    #expect(access.expiry == 1_200)
    #expect(access.allows(.act, to: .session(reactor: "cart", id: "ada")))
    _ = try await authenticate("opaque", at: 1_199)
    #expect(issuer.requests.count == 1)
    issuer.respond(#"{"active":false}"#)
    await #expect(throws: Authenticator.Failure.unknownToken) {
      try await authenticate("opaque", at: 1_200)
    }
    #expect(issuer.requests.count == 2)
  }

  @Test(arguments: [
    (#""x":1"#, "introspection|ada"), (#""iss":"https://corp.example""#, "corp|ada"),
    (#""iss":"https://keys.example""#, "ada"), (#""iss":"""#, "introspection|ada"),
    (#""iss":"https://other.example""#, "introspection|ada"),
  ])
  func `a principal has the qualifier of its issuer, or one of introspection`(
    member: String, id: String
  ) throws {
    let issuers = try TrustedIssuer.list(
      of: Array(#"[{"issuer":"https://corp.example","audience":[],"name":"corp"}]"#.utf8))
    func principal(_ qualifiers: IntrospectionQualifiers) -> String? {
      let token = IntrospectedToken(
        Array(#"{"active":true,"sub":"ada",\#(member)}"#.utf8), for: [], qualifiedBy: qualifiers,
        at: 1_000, lifetime: 10)
      guard case .active(let principal)? = token else { return nil }
      #expect(principal.claims.string("sub") == principal.id)
      return principal.id
    }
    #expect(
      principal(IntrospectionQualifiers(issuers, keyIssuer: "https://keys.example")) == id)
    #expect(principal(IntrospectionQualifiers()) == "ada")
    #expect(principal(IntrospectionQualifiers([], keyIssuer: "")) == "introspection|ada")
  }

  @Test func `the request has the token in its body, and the credential of the service`()
    async throws
  {
    issuer.respond(Self.active)
    _ = try await authenticate("a+b/c=&d")
    let request = try #require(issuer.requests.first)
    #expect(request.method == "POST")
    #expect(
      request.body == Array("token=a%2Bb%2Fc%3D%26d&token_type_hint=access_token".utf8))
    let credential = Data("reactord:a%20secret%3Awith%25signs".utf8).base64EncodedString()
    #expect(request.fields.contains(.init("Authorization", "Basic \(credential)")))
    #expect(!request.path.contains("token"))
  }

  @Test(arguments: [(nil, 300), (60, 60), (0, 2), (1_000_000, 3_600)] as [(Int64?, Int64)])
  func `a response is used as long as it permits`(maxAge: Int64?, seconds: Int64) async throws {
    issuer.respond(#"{"active":true,"sub":"ada","aud":["shop"]}"#, maxAge: maxAge)
    #expect(try await authenticate("opaque").expiry == 1_000 + seconds)
  }

  @Test(arguments: [
    #"{"active":false,"sub":"ada","aud":"shop"}"#, #"{"active":true,"aud":"shop"}"#,
    #"{"active":true,"sub":"ada","aud":"other"}"#, #"{"active":true,"sub":"ada"}"#,
    #"{"active":true,"sub":7,"aud":"shop"}"#, #"{"active":true,"sub":"a\nb","aud":"shop"}"#,
    #"{"active":true,"sub":"ada","aud":"shop","exp":900}"#,
    #"{"active":true,"sub":"ada","aud":"shop","nbf":5000}"#,
    #"{"active":true,"sub":"introspection|ada","aud":"shop","iss":"https://corp.example"}"#,
  ])
  func `a token that is not valid here is rejected, and not introspected again for a while`(
    body: String
  ) async throws {
    issuer.respond(body)
    for time in [1_000, 1_029] as [Int64] {
      await #expect(throws: Authenticator.Failure.unknownToken) {
        try await authenticate("opaque", at: time)
      }
    }
    #expect(issuer.requests.count == 1)
    issuer.respond(Self.active)
    #expect(try await authenticate("opaque", at: 1_030).principal?.id == "ada")
  }

  @Test(arguments: [
    ("", 200), ("[]", 200), (#"{"active":"true","sub":"ada","aud":"shop"}"#, 200),
    (#"{"active":true,"active":true,"sub":"ada","aud":"shop"}"#, 200), (active, 500),
    (active, 401), (active, 302),
  ])
  func `an issuer without a usable response neither accepts nor rejects a token`(
    body: String, status: Int
  ) async throws {
    issuer.respond(body, status: status)
    for time in [1_000, 1_001] as [Int64] {
      await #expect(throws: Authenticator.Failure.unavailable) {
        try await authenticate("opaque", at: time)
      }
    }
    #expect(issuer.requests.count == 1)
    issuer.respond(Self.active)
    #expect(try await authenticate("opaque", at: 1_002).principal?.id == "ada")
  }

  @Test func `the number of responses that are retained is bounded`() async throws {
    issuer.respond(#"{"active":false}"#)
    for number in 0...Introspection.limit {
      await authenticator.pendingDecision(on: Array("token-\(number)".utf8), at: 1_000)?.wait()
    }
    let count = issuer.requests.count
    await #expect(throws: Authenticator.Failure.unknownToken) { try await authenticate("token-1") }
    #expect(issuer.requests.count == count + 1)
  }

  @Test func `a client with its share of the requests to the issuer gets no further one`() throws {
    func state(_ account: Account) throws -> Authenticator.Failure? {
      do throws(Authenticator.Failure) {
        _ = try authenticator.authenticate(Array("opaque".utf8), at: 1_000, for: account)
        return nil
      } catch {
        return error
      }
    }
    let greedy = ledger.account(of: .network(high: 1, low: 0))
    ledger.take(.questions, ProviderQueue.capacity / 2, for: greedy)
    #expect(try state(greedy) == .beyondShare(of: ProviderQueue.capacity))
    guard case .pending = try state(ledger.account(of: .network(high: 2, low: 0))) else {
      Issue.record("Another client waits for it.")
      return
    }
  }

  @Test func `an open authentication and a ticket end with the response`() async throws {
    issuer.respond(Self.active)
    let access = try await authenticate("opaque")
    let ticket = try #require(authenticator.makeTicket(for: access, address: nil, at: 1_000))
    #expect(
      try authenticator.authenticate(ticket: Array(ticket.text.utf8), address: "", at: 1_000)
        .principal?.id == "ada")
    #expect(throws: Authenticator.Failure.unknownToken) {
      try authenticator.authenticate(cookie: Array("opaque".utf8), at: 1_000)
    }
    authenticator.replace(Authenticator.Configuration())
    #expect(authenticator.refresh(access, at: 1_100) == nil)
  }

  @Test(arguments: ["url", "client", "audience", "names", "secret"])
  func `an open authentication and a ticket end when another issuer or audience is set`(
    _ change: String
  ) async throws {
    issuer.respond(Self.active)
    let access = try await authenticate("opaque")
    let ticket = try #require(authenticator.makeTicket(for: access, address: nil, at: 1_000)).text
    authenticator.replace(
      try Self.configuration(
        issuer, ledger, at: "https://\(change == "url" ? "b" : "a").example/introspect",
        client: change == "client" ? "other" : "reactord",
        secret: change == "secret" ? "rotated" : "a secret:with%signs",
        for: change == "audience" ? ["other"] : ["shop"],
        naming: change == "names" ? "ada" : "corp"))
    // One issuer alone qualifies nothing.
    let isKept = ["secret", "names"].contains(change)
    #expect((authenticator.refresh(access, at: 1_100) != nil) == isKept)
    let used = try? authenticator.authenticate(ticket: Array(ticket.utf8), address: "", at: 1_010)
    #expect((used != nil) == isKept)
  }
}
