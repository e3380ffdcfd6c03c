import Identity
import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// Whatever is open when a credential or a right is withdrawn sends nothing that is committed later.
///
/// The kinds of open responses are those of the endpoint table: streams, requests whose body is arriving, and
/// requests that wait, for the store or for an effect; and tickets.
struct WithdrawnRightTests {
  /// The clock of streams.
  private final class Clock: Sendable {
    private let offset = Mutex<Int64>(0)

    var milliseconds: Int64 { Timestamp.now.milliseconds + offset.withLock { $0 } }

    func advance(by seconds: Int64) { offset.withLock { $0 += seconds * 1000 } }
  }

  private let webhook = DecidingWebhook()
  private let clock = Clock()

  /// A change of the configuration, of which the reader's credential or right is a part.
  enum Withdrawal: String, CaseIterable, CustomTestStringConvertible {
    case token, right, revocation, key, issuer, audience, expiry, rule, denial, anonymousRule
    case webhook

    var testDescription: String { rawValue }

    /// Whether the credential itself is not accepted any more.
    var isOfCredential: Bool {
      switch self {
      case .right, .rule, .denial, .webhook: false
      case .token, .revocation, .key, .issuer, .audience, .expiry, .anonymousRule: true
      }
    }

    /// A word of the reason for which the credential is rejected, or `nil` for another one.
    var reason: String? {
      switch self {
      case .revocation: "revoked"
      case .issuer, .audience: rawValue
      case .expiry: "expired"
      case .token, .right, .key, .rule, .denial, .anonymousRule, .webhook: nil
      }
    }

    /// The credential of the reader.
    var headers: [(name: HTTPHeader, value: String)] {
      switch self {
      case .anonymousRule: []
      case .token, .right, .revocation, .webhook: [(.authorization, "Bearer token-of-the-reader")]
      case .key, .issuer, .audience, .expiry, .rule, .denial:
        [(.authorization, "Bearer \(SignedToken.make(#"{"sub":"reader","iss":"a","aud":"b"}"#))")]
      }
    }

    private func granted(_ isAfter: Bool) -> String {
      switch self {
      case .right where isAfter: "read nothing"
      // The webhook decides on no administrator.
      case .webhook: "manage"
      default: "admin"
      }
    }

    func configuration(isAfter: Bool) throws -> Authenticator.Configuration {
      let tokens = [
        self != .token || !isAfter
          ? "token-of-the-reader \(granted(isAfter)) as=reader"
          : "#",
        WithdrawnRightTests.other,
      ]
      let allow = #"{"allow":"admin","if":{"sub":"reader"}}"#
      let rules =
        switch self {
        case .webhook: "[]"
        case .anonymousRule: isAfter ? "[]" : #"[{"allow":"admin","anonymous":true}]"#
        case .rule where isAfter: "[]"
        case .denial where isAfter: #"[\#(allow),{"deny":"read","if":{"sub":"reader"}}]"#
        default: "[\(allow)]"
        }
      var configuration = Authenticator.Configuration.tokens(
        tokens.joined(separator: "\n"), rules: rules)
      var verification = TokenVerifier.Rules()
      if isAfter {
        if self == .issuer { verification.issuer = "b" }
        if self == .audience { verification.audience = ["c"] }
        // The expiry of the token is beyond what the clocks of the issuer and of the service can differ.
        if self == .expiry { verification.leeway = -10_000_000_000 }
      }
      let keys =
        self == .key && isAfter
        ? try KeySet(
          Array(
            #"{"kty":"oct","k":"\#(String(repeating: "A", count: 43))"}"#.utf8))
        : try SignedToken.keys()
      configuration.verifier = TokenVerifier(keys: keys, rules: verification)
      return configuration
    }
  }

  fileprivate static let other = "another-token-of-it admin"
  private static let admin = [(name: HTTPHeader.authorization, value: "Bearer \(other.prefix(19))")]

  private static let endpoints = Service().api.endpoints.resources.flatMap(\.endpoints).filter {
    $0.right != nil
  }
  private static let streams = endpoints.filter { $0.traits.contains(.stream) }
  private static let changes = endpoints.filter { !$0.method.isSafe }
  private static let reads = endpoints.filter { !$0.traits.contains(.stream) && $0.method.isSafe }

  private func service(
    _ withdrawal: Withdrawal, log: any MutationLog = MemoryLog(changeRetention: .seconds(3_600))
  ) throws -> Service {
    var configuration = try withdrawal.configuration(isAfter: false)
    if withdrawal == .webhook {
      webhook.answer = .allowed
      configuration.webhook = webhook
    }
    let authentication = configuration
    return Service(
      log: log, workers: log is DelayedLog ? 8 : 0,
      expiries: StreamExpiries(now: { [clock] in clock.milliseconds }),
      settings: { $0.authentication = authentication })
  }

  private func withdraw(_ withdrawal: Withdrawal, at service: Service) throws {
    guard withdrawal != .revocation else {
      let revoked = try service.ask(
        "POST", "/v1/revocations", Self.admin, body: #"{"sub":"reader"}"#)
      #expect(revoked.status == 201)
      return
    }
    guard withdrawal != .webhook else {
      webhook.answer = .denied
      // Its decision has ended.
      clock.advance(by: webhook.lifetime)
      return
    }
    service.api.replaceAuthentication(try withdrawal.configuration(isAfter: true))
  }

  /// Commits a text that each stream may contain.
  private func commit(_ text: String, at service: Service) throws {
    try service.act(#"{"label":"\#(text)"}"#, Self.admin)
    _ = try service.ask("PUT", "/v1/globals/motto", Self.admin, body: #""\#(text)""#)
    _ = try service.ask(
      "POST", "\(Service.root)/demo/signals", Self.admin, body: #""\#(text)""#)
  }

  /// Returns whether a client without the right may still use an endpoint that needs a credential only, or with a
  /// webhook no session; or could not before.
  private func isUnaffected(_ endpoint: Endpoint, by withdrawal: Withdrawal) -> Bool {
    if withdrawal == .webhook {
      return endpoint.reach == .service || endpoint.right.map { !Right.manage.includes($0) } ?? true
        || endpoint.reach == .anything || endpoint.reach == .credential
    }
    return switch endpoint.reach {
    case .anything, .credential: !withdrawal.isOfCredential
    case .session, .sessionsInQuery, .reactor, .service: false
    }
  }

  @Test func `each endpoint with a right is of one of the kinds`() {
    #expect(Self.streams.count >= 4)
    #expect(Self.changes.count >= 15)
    #expect(Self.reads.count >= 15)
    #expect(
      Self.streams.count + Self.changes.count + Self.reads.count == Self.endpoints.count,
      "a stream is read")
  }

  @Test(arguments: Withdrawal.allCases, streams.indices)
  func `a stream ends or is silent`(_ withdrawal: Withdrawal, _ index: Int) throws {
    if withdrawal == .webhook, Self.streams[index].reach == .service { return }
    let service = try service(withdrawal)
    let (target, _) = MatrixTests.request(Self.streams[index], session: "demo")
    let query =
      target.contains("/changes") ? "with=state" : target.contains("demo") ? "signals=true" : ""
    let reader = try service.open(
      target + (query.isEmpty ? "" : (target.contains("?") ? "&" : "?") + query),
      withdrawal.headers)
    try commit("earlier", at: service)
    // The first read of a stream of changes begins to read the store.
    #expect((reader.read() + reader.read()).joined().contains("earlier"), "\(target)")
    try withdraw(withdrawal, at: service)
    try commit("later", at: service)
    #expect(!(reader.read() + reader.read()).joined().contains("later"), "\(target)")
    if withdrawal.isOfCredential { #expect(reader.isFinished, "\(target)") }
    reader.close()
  }

  @Test(arguments: Withdrawal.allCases, changes.indices)
  func `a request whose body is arriving changes nothing`(
    _ withdrawal: Withdrawal, _ index: Int
  ) throws {
    let endpoint = Self.changes[index]
    // An anonymous client has no ticket and no stream.
    if withdrawal == .anonymousRule, endpoint.reach == .credential { return }
    if withdrawal == .webhook, isUnaffected(endpoint, by: withdrawal) { return }
    let service = try service(withdrawal)
    let (target, body) = MatrixTests.request(endpoint, session: "demo")
    let head = HTTPRequest(
      method: endpoint.method.name, path: target,
      headers: HTTPRequestHeaders(withdrawal.headers + [(.contentType, "application/json")]),
      body: [], hasBody: body != nil)
    guard case .accept(let scope) = service.api.admit(head) else {
      Issue.record("The head is not accepted: \(target)")
      return
    }
    let states = try ["state", "log"].map {
      try service.ask("GET", "\(Service.root)/demo/\($0)", Self.admin).text
    }
    try withdraw(withdrawal, at: service)
    let request = HTTPRequest.completing(head, body: Array((body ?? "").utf8), admission: scope)
    let responses = Recorder<HTTPResponse>()
    service.api.respond(to: request, reply: { responses.add($0) })
    let response = try #require(responses.values.first, "\(target)")
    guard !isUnaffected(endpoint, by: withdrawal) else { return }
    #expect(
      response.status == (withdrawal.isOfCredential ? 401 : 403)
        || response.problem == "404 unknown-reactor", "\(target): \(response.status)")
    if let reason = withdrawal.reason { #expect(response.text.contains(reason), "\(target)") }
    #expect(
      try ["state", "log"].map {
        try service.ask("GET", "\(Service.root)/demo/\($0)", Self.admin).text
      } == states, "\(target)")
  }

  /// Starts all requests of some endpoints that wait for a session which is being read from the store, withdraws the
  /// right, and lets the read end.
  private func waiting(
    _ endpoints: [Endpoint], _ withdrawal: Withdrawal
  ) async throws -> [(target: String, response: HTTPResponse)] {
    var found: [(String, HTTPResponse)] = []
    for endpoint in endpoints {
      let memory = MemoryLog(changeRetention: .seconds(3_600))
      try commit("earlier", at: service(withdrawal, log: memory))
      let log = DelayedLog(memory)
      let service = try service(withdrawal, log: log)
      log.hold("demo")
      let (target, body) = MatrixTests.request(endpoint, session: "demo")
      let responses = service.start(endpoint.method.name, target, withdrawal.headers, body: body)
      while responses.values.isEmpty, log.heldCount == 0 { await Task.yield() }
      let isWaiting = responses.values.isEmpty
      if isWaiting { try withdraw(withdrawal, at: service) }
      log.release("demo")
      while responses.values.isEmpty { await Task.yield() }
      guard isWaiting, let response = responses.values.first else { continue }
      found.append(("\(endpoint.method.name) \(target)", response))
      guard case .stream = response.body else { continue }
      let reader = try service.reader(of: response)
      let text = (reader.read() + reader.read()).joined()
      #expect(!text.contains("earlier"), "\(target): \(text)")
      reader.close()
    }
    return found
  }

  @Test(arguments: [Withdrawal.token, .right, .key, .rule, .anonymousRule, .webhook])
  func `a read that waits for the store is rejected`(_ withdrawal: Withdrawal) async throws {
    let found = try await waiting(Self.reads + Self.streams, withdrawal)
    #expect(found.count >= 6, "\(found.map(\.target))")
    for (target, response) in found {
      // A client that may use no session gets an empty list, as if the reactor did not exist, or a stream that ends.
      let isRejected =
        withdrawal.isOfCredential
        ? response.status == 401
        : [200, 403].contains(response.status) || response.problem == "404 unknown-reactor"
      #expect(isRejected, "\(target): \(response.status)")
      #expect(!response.text.contains("earlier"), "\(target)")
    }
  }

  @Test(arguments: [Withdrawal.token, .right, .key, .rule, .anonymousRule, .webhook])
  func `the response to a change that waits for the store has no State`(
    _ withdrawal: Withdrawal
  ) async throws {
    let found = try await waiting(Self.changes, withdrawal)
    #expect(found.count >= 4, "\(found.map(\.target))")
    for (target, response) in found {
      #expect(!response.text.contains("earlier"), "\(target)")
    }
  }

  @Test func `responses that wait for an effect are those of two endpoints`() {
    let waiting = Self.endpoints.filter { $0.operation().responses.contains { $0.status == 202 } }
    #expect(
      Set(waiting.map(\.template)) == [
        "/v1/reactors/{reactor}/sessions/{session}/actions",
        "/v1/reactors/{reactor}/sessions/{session}/failures/{failure}",
      ])
    #expect(waiting.allSatisfy { $0.reach == .session })
  }

  @Test(arguments: Withdrawal.allCases)
  func `the response to an action that waits for its effect has no State`(
    _ withdrawal: Withdrawal
  ) throws {
    let service = try service(withdrawal)
    let responses = service.start(
      "POST", "\(Service.root)/demo/actions", withdrawal.headers, body: #""hold""#)
    #expect(responses.values.isEmpty)
    try withdraw(withdrawal, at: service)
    service.effect.onNext(.add(1))
    service.effect.onCompleted()
    let response = try #require(responses.values.first)
    #expect(response.status == 204)
    #expect(response.text.isEmpty)
    #expect(response[field: "ETag"] != nil)
  }

  @Test(arguments: Withdrawal.allCases.filter { $0 != .anonymousRule })
  func `a ticket opens no stream`(_ withdrawal: Withdrawal) throws {
    let service = try service(withdrawal)
    let created = try service.ask("POST", "/v1/tickets", withdrawal.headers).text
    let ticket = try #require(created.split(separator: "\"").dropFirst(3).first)
    try withdraw(withdrawal, at: service)
    for stream in Self.streams where !isUnaffected(stream, by: withdrawal) {
      let (target, _) = MatrixTests.request(stream, session: "demo")
      let separator = target.contains("?") ? "&" : "?"
      let response = try service.ask("GET", "\(target)\(separator)ticket=\(ticket)")
      #expect([401, 403].contains(response.status), "\(target)")
    }
  }

  @Test(arguments: Withdrawal.allCases)
  func `a session that is created afterwards is not shown`(_ withdrawal: Withdrawal) throws {
    let service = try service(withdrawal)
    let request = RequestScope(
      HTTPRequest(
        method: "PUT", path: "\(Service.root)/demo",
        headers: HTTPRequestHeaders(withdrawal.headers), body: []), in: service.api)
    let reactor = try #require(service.api.host.reactor("number"))
    #expect(request.mayStillRead("demo", of: reactor))
    try withdraw(withdrawal, at: service)
    #expect(!request.mayStillRead("demo", of: reactor))
  }
}
