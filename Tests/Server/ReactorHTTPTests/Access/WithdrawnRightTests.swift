import Identity
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Whatever is open when the operator withdraws a token or a right sends nothing that is committed later.
struct WithdrawnRightTests {
  enum Withdrawal: String, CaseIterable {
    case token = ""
    case right = "token-of-the-reader read nothing\n"
    case revocation
  }

  private static let other = "another-token-of-it admin"
  private static let reader = [
    (name: HTTPHeader.authorization, value: "Bearer token-of-the-reader")
  ]
  private static let admin = [(name: HTTPHeader.authorization, value: "Bearer \(other.prefix(19))")]

  private func service() -> Service {
    Service(
      log: MemoryLog(changeRetention: .seconds(60)),
      settings: {
        $0.authentication = .tokens("token-of-the-reader admin as=reader\n\(Self.other)")
      })
  }

  private func withdraw(_ withdrawal: Withdrawal, at service: Service) throws {
    guard withdrawal != .revocation else {
      let revoked = try service.ask(
        "POST", "/v1/revocations", Self.admin, body: #"{"sub":"reader"}"#)
      #expect(revoked.status == 201)
      return
    }
    service.api.replaceAuthentication(.tokens(withdrawal.rawValue + Self.other))
  }

  /// Commits a text that each stream may contain.
  private func commit(_ text: String, at service: Service) throws {
    try service.act(#"{"label":"\#(text)"}"#, Self.admin)
    _ = try service.ask("PUT", "/v1/globals/motto", Self.admin, body: #""\#(text)""#)
    _ = try service.ask(
      "POST", "\(Service.root)/demo/signals", Self.admin, body: #""\#(text)""#)
  }

  private static let streams = Service().api.endpoints.resources.flatMap(\.endpoints).filter {
    $0.traits.contains(.stream)
  }

  @Test(arguments: Withdrawal.allCases, streams.indices)
  func `a stream ends or is silent`(_ withdrawal: Withdrawal, _ index: Int) throws {
    let service = service()
    let (target, _) = MatrixTests.request(Self.streams[index], session: "demo")
    let query =
      target.contains("/changes") ? "with=state" : target.contains("demo") ? "signals=true" : ""
    let reader = try service.open(
      target + (query.isEmpty ? "" : (target.contains("?") ? "&" : "?") + query), Self.reader)
    try commit("earlier", at: service)
    // The first read of a stream of changes begins to read the store.
    #expect((reader.read() + reader.read()).joined().contains("earlier"), "\(target)")
    try withdraw(withdrawal, at: service)
    try commit("later", at: service)
    #expect(!(reader.read() + reader.read()).joined().contains("later"), "\(target)")
    if withdrawal != .right { #expect(reader.isFinished, "\(target)") }
    reader.close()
  }

  @Test func `streams were found`() { #expect(Self.streams.count >= 4) }

  @Test(arguments: Withdrawal.allCases)
  func `the response to an action that waits for its effect has no State`(
    _ withdrawal: Withdrawal
  ) throws {
    let service = service()
    let responses = service.start(
      "POST", "\(Service.root)/demo/actions", Self.reader, body: #""hold""#)
    #expect(responses.values.isEmpty)
    try withdraw(withdrawal, at: service)
    service.effect.onNext(.add(1))
    service.effect.onCompleted()
    let response = try #require(responses.values.first)
    #expect(response.status == 204)
    #expect(response.text.isEmpty)
    #expect(response[field: "ETag"] != nil)
  }

  @Test(arguments: Withdrawal.allCases)
  func `an action whose body arrives afterwards is not executed`(_ withdrawal: Withdrawal) throws {
    let service = service()
    let head = HTTPRequest(
      method: "POST", path: "\(Service.root)/demo/actions",
      headers: HTTPRequestHeaders(Self.reader + [(.contentType, "application/json")]), body: [],
      hasBody: true)
    guard case .accept(let scope) = service.api.admit(head) else {
      Issue.record("The head is not accepted.")
      return
    }
    try withdraw(withdrawal, at: service)
    let request = HTTPRequest.completing(head, body: Array(#"{"add":1}"#.utf8), admission: scope)
    let responses = Recorder<HTTPResponse>()
    service.api.respond(to: request, reply: { responses.add($0) })
    let expected = withdrawal != .right ? "401 unauthorized" : "403 forbidden"
    #expect(responses.values.first?.problem == expected)
    let state = try service.ask("GET", "\(Service.root)/demo/state", Self.admin)
    #expect(state.text.contains(#""value":0"#))
  }

  @Test(arguments: Withdrawal.allCases)
  func `a session that is created afterwards is not shown`(_ withdrawal: Withdrawal) throws {
    let service = service()
    let request = RequestScope(
      HTTPRequest(
        method: "PUT", path: "\(Service.root)/demo", headers: HTTPRequestHeaders(Self.reader),
        body: []), in: service.api)
    let reactor = try #require(service.api.host.reactor("number"))
    #expect(request.mayStillRead("demo", of: reactor))
    try withdraw(withdrawal, at: service)
    #expect(!request.mayStillRead("demo", of: reactor))
  }
}
