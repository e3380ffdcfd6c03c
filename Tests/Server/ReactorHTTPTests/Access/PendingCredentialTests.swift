import Identity
import ReactorCore
import ReactorTransport
import Shares
import Synchronization
import TestSupport
import Testing

@testable import ReactorHTTP

/// Requests whose credential can be verified only after a request to another server.
struct PendingCredentialTests {
  /// A provider that publishes its keys when the test says so.
  private final class Provider: KeySource {
    private struct State {
      var decision: PendingDecision?
      var confirmed: Int64? = 0
    }

    private let state = Mutex(State())
    private let isPublished = AsyncStream<Void>.makeStream()

    init() {
      let published = isPublished.stream
      let decision = PendingDecision(Task { for await _ in published {} })
      state.withLock { $0.decision = decision }
    }

    func refresh(at now: Int64) -> PendingDecision? { state.withLock { $0.decision } }

    var confirmed: Int64? { state.withLock { $0.confirmed } }

    /// Ends the request for the keys.
    func end(failing: Bool = false) {
      state.withLock { $0 = State(confirmed: failing ? nil : 0) }
      isPublished.continuation.finish()
    }
  }

  private static let issuer = "https://a.example"
  private let provider = Provider()
  private let service: Service

  init() throws {
    let configuration = try Self.configuration(nil, provider)
    service = Service(settings: {
      $0.authentication = configuration
      $0.hosts = .loopback
    })
  }

  private static func configuration(
    _ keys: KeySet?, _ provider: Provider
  ) throws -> Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    let issuers = try TrustedIssuer.list(
      of: Array(#"[{"issuer":"\#(issuer)","audience":[]}]"#.utf8))
    configuration.issuers = [
      IssuerVerifier(issuers[0], keys: keys, leeway: 0, among: nil, from: provider)
    ]
    configuration.rules = try AccessRule.list(
      of: Array(#"[{"allow":"act","to":"number/{sub}"}]"#.utf8))
    return configuration
  }

  private func bearer(_ subject: String) -> [(name: HTTPHeader, value: String)] {
    let token = SignedToken.make(#"{"sub":"\#(subject)","iss":"\#(Self.issuer)"}"#)
    return [(.authorization, "Bearer \(token)"), (.host, "localhost")]
  }

  /// Publishes the keys, which the service applies before the request for them ends.
  private func publish() throws {
    service.api.replaceAuthentication(try Self.configuration(SignedToken.keys(), provider))
    provider.end()
  }

  private func first(_ responses: Recorder<HTTPResponse>) async throws -> HTTPResponse {
    try await wait { !responses.values.isEmpty }
    #expect(responses.values.count == 1)
    return try #require(responses.values.first)
  }

  @Test func `a request waits for the keys of its token, and is then served by its rights`()
    async throws
  {
    let path = "\(Service.root)/ada"
    let responses = [
      service.start("POST", path + "/actions", bearer("ada"), body: #"{"add":1}"#),
      service.start("GET", path + "/state", bearer("eve")),
      service.start("POST", "/v1/tickets", bearer("eve")),
    ]
    #expect(responses.allSatisfy { $0.values.isEmpty })
    try publish()
    var statuses: [Int] = []
    for response in responses { statuses.append(try await first(response).status) }
    #expect(statuses == [200, 403, 201])
    #expect(try service.ask("GET", path + "/state", bearer("ada")).text.contains(#""value":1"#))
  }

  /// Sends an action whose body arrives after the head was accepted.
  private func act(
    _ headers: [(name: HTTPHeader, value: String)]
  ) throws -> Recorder<HTTPResponse> {
    let head = HTTPRequest(
      method: "POST", path: "\(Service.root)/ada/actions", headers: HTTPRequestHeaders(headers),
      body: [], hasBody: true)
    guard case .accept(let scope) = service.api.admit(head) else {
      throw HeadRejected()
    }
    let request = HTTPRequest.completing(head, body: Array(#"{"add":1}"#.utf8), admission: scope)
    let responses = Recorder<HTTPResponse>()
    service.api.respond(to: request, reply: { responses.add($0) })
    return responses
  }

  private struct HeadRejected: Error {}

  @Test func `a request whose body arrives while it waits is executed once`() async throws {
    let responses = try act(bearer("ada") + [(.contentType, "application/json")])
    #expect(responses.values.isEmpty)
    try publish()
    let response = try await first(responses)
    #expect(response.status == 200)
    #expect(response.text.contains(#""value":1"#))
  }

  /// An issuer whose response has ended at the first requests for the state of a token.
  private final class Issuer: TokenIntrospection {
    let identity = "issuer"
    private let waits: Int
    private let expiry: Int64?
    private let requests = Atomic(0)

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - waits: The number of requests for which the issuer must be queried.
    ///   - expiry: The expiry of the token at a request before these, or `nil` for none.
    init(waits: Int, after expiry: Int64? = nil) { (self.waits, self.expiry) = (waits, expiry) }

    func state(
      of token: [UInt8], _ digest: [UInt8], at now: Int64, for account: Account?
    ) -> IntrospectedToken {
      let number = requests.add(1, ordering: .relaxed).newValue - (expiry == nil ? 0 : 1)
      guard number == 0 || number > waits else { return .pending(PendingDecision(Task {})) }
      return .active(
        Principal(
          id: "ada", claims: Claims([("sub", .string("ada"))]), expiry: number == 0 ? expiry : nil))
    }
  }

  private static let opaque = [
    (name: HTTPHeader.authorization, value: "Bearer an-opaque-token"),
    (name: .contentType, value: "application/json"), (name: .host, value: "localhost"),
  ]

  private func introspect(by issuer: Issuer) throws {
    var configuration = try Self.configuration(nil, provider)
    configuration.introspection = issuer
    service.api.replaceAuthentication(configuration)
  }

  @Test(arguments: 1...4)
  func `a request waits up to three times for responses that end before it is served`(
    waits: Int
  ) async throws {
    try introspect(by: Issuer(waits: waits))
    let responses = service.start(
      "POST", "\(Service.root)/ada/actions", Self.opaque, body: #"{"add":1}"#)
    let response = try await first(responses)
    if waits <= 3 {
      #expect(response.status == 200)
    } else {
      #expect(response.problem == "503 unavailable")
    }
  }

  @Test func `an opaque token that expires while the body arrives is introspected again`()
    async throws
  {
    try introspect(by: Issuer(waits: 1, after: 1))
    #expect(try await first(try act(Self.opaque)).status == 200)
  }

  @Test func `a stream waits, too`() async throws {
    let responses = service.start("GET", "\(Service.root)/ada/events", bearer("ada"))
    try publish()
    let reader = try service.reader(of: try await first(responses))
    #expect(reader.read().joined().contains(#""value":0"#))
    reader.close()
  }

  @Test func `a provider that does not respond is 503, and no failed authentication`() async throws
  {
    let responses = service.start("GET", "\(Service.root)/ada/state", bearer("ada"))
    provider.end(failing: true)
    let response = try await first(responses)
    #expect(response.problem == "503 unavailable")
    #expect(response[field: "Retry-After"] != nil)
    for _ in 0..<100 {
      let next = try service.ask("GET", "\(Service.root)/ada/state", bearer("ada"))
      #expect(next.problem == "503 unavailable")
    }
  }

  @Test func `a request for another host does not wait`() throws {
    var headers = bearer("ada").dropLast()
    headers.append((.host, "a.example"))
    let response = try service.ask("GET", "\(Service.root)/ada/state", Array(headers))
    #expect(response.problem == "421 misdirected-request")
  }
}
