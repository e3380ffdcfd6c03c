import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Decisions of a delegate that depend on the State, or on the parameters of a new session.
struct DelegateStateTests {
  private struct Team: Codable, Sendable {
    let owner: String
  }

  /// The label of a State is the principal that may use the session; a new one is free.
  private struct Owner: ReactorDelegate {
    typealias Reactor = NumberReactor

    /// Whether the delegate hides the error of a State that is not in memory.
    let catches: Bool

    func authorize(_ access: Access<NumberReactor.Action>) throws {
      let state =
        catches
        ? (try? access.state(of: NumberReactor.self)) ?? nil
        : try access.state(of: NumberReactor.self)
      if let state, state.label != access.principal?.id { throw Forbidden("Not yours.") }
    }
  }

  /// Permits the creation of sessions whose parameters name the principal.
  private struct Parent: ReactorDelegate {
    typealias Reactor = NumberReactor

    func authorize(_ access: Access<NumberReactor.Action>) throws {
      switch access.request {
      case .create, .fork:
        guard try access.parameters(as: Team.self)?.owner == access.principal?.id else {
          throw Forbidden()
        }
      default: break
      }
    }
  }

  private static let tokens = Authenticator.Configuration.tokens(
    "token-of-user-ada-01 admin as=ada\ntoken-of-user-eve-01 admin as=eve")

  private func api(
    _ log: MemoryLog, creation: HostSettings.SessionCreation = .implicit, catches: Bool = false
  ) -> ReactorAPI {
    var hostSettings = HostSettings()
    hostSettings.sessionCreation = creation
    hostSettings.backgroundThreads = 0
    let host = Host(
      [
        ReactorRegistration("number", summary: "A number", delegate: Owner(catches: catches)) {
          NumberReactor(effect: .never())
        },
        ReactorRegistration(
          "team", summary: "A number", parameters: Team.self, delegate: Parent()
        ) { _ in NumberReactor(effect: .never()) },
      ], log: log, settings: hostSettings)
    var settings = Service.settings
    settings.authentication = Self.tokens
    return ReactorAPI(host: host, settings: settings)
  }

  private func ask(
    _ api: ReactorAPI, _ method: String, _ target: String, by user: String, body: String? = nil
  ) throws -> HTTPResponse {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let responses = Recorder<HTTPResponse>()
    let headers: [(name: HTTPHeader, value: String)] = [
      (.contentType, "application/json"), (.authorization, "Bearer token-of-user-\(user)-01"),
    ]
    api.respond(
      to: HTTPRequest(
        method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
        headers: HTTPRequestHeaders(headers), body: Array((body ?? "").utf8), hasBody: body != nil),
      reply: { responses.add($0) })
    return try #require(responses.values.first, "\(method) \(target)")
  }

  /// A log with the session `a` of `ada`.
  private func stored() throws -> MemoryLog {
    let log = MemoryLog()
    let response = try ask(
      api(log), "POST", Service.root + "/a/actions", by: "ada", body: #"{"label":"ada"}"#)
    #expect(response.status == 200)
    return log
  }

  private static let requests: [(String, String, String?)] = [
    ("GET", "/a", nil), ("GET", "/a/log", nil), ("GET", "/a/events", nil),
    ("GET", "/a/effects", nil), ("POST", "/a/actions", #"{"add":1}"#),
    ("POST", "/a/actions", #"[{"add":1},{"add":2}]"#), ("PUT", "/a", nil),
    ("POST", "/a/signals", "1"), ("POST", "", #"{"id":"b","from":{"session":"a"}}"#),
    ("DELETE", "/a", nil),
  ]

  @Test(arguments: requests.indices, [false, true])
  func `a decision has the State of a session that is stored or in memory`(
    index: Int, catches: Bool
  ) throws {
    let (method, path, body) = Self.requests[index]
    let log = try stored()
    for user in ["eve", "ada"] {
      // A new host: the session is not in memory.
      let api = api(log, catches: catches)
      if user == "eve" {
        for _ in 0..<2 {
          let response = try ask(api, method, Service.root + path, by: user, body: body)
          #expect(response.problem == "403 forbidden", "\(method) \(path)")
          #expect(!response.text.contains("label"))
        }
      } else {
        let response = try ask(api, method, Service.root + path, by: user, body: body)
        #expect((200..<300).contains(response.status), "\(method) \(path) \(response.status)")
      }
    }
  }

  @Test(arguments: [HostSettings.SessionCreation.implicit, .explicit])
  func `a session that does not exist has no State`(creation: HostSettings.SessionCreation) throws {
    let api = api(MemoryLog(), creation: creation)
    let isImplicit = creation == .implicit
    let target = Service.root + "/x"
    #expect(try ask(api, "GET", target, by: "eve").status == (isImplicit ? 200 : 404))
    let first = try ask(api, "POST", target + "/actions", by: "eve", body: #"{"label":"eve"}"#)
    #expect(first.status == (isImplicit ? 200 : 404))
    #expect(try ask(api, "PUT", target, by: "eve").status == (isImplicit ? 200 : 201))
  }

  @Test func `a stream of several sessions is decided by each State`() throws {
    let log = try stored()
    let target = "/v1/events?session=number/a&session=number/b"
    #expect(try ask(api(log), "GET", target, by: "eve").problem == "403 forbidden")
    #expect(try ask(api(log), "GET", target, by: "ada").status == 200)
  }

  @Test func `a list has the sessions in memory that the State permits`() throws {
    let log = try stored()
    let api = api(log)
    func list(by user: String) throws -> String { try ask(api, "GET", Service.root, by: user).text }
    #expect(try !list(by: "ada").contains(#""a""#))
    #expect(try ask(api, "GET", Service.root + "/a", by: "ada").status == 200)
    #expect(try list(by: "ada").contains(#""a""#))
    #expect(try !list(by: "eve").contains(#""a""#))
  }

  @Test func `a decision on a creation has the parameters`() throws {
    let api = api(MemoryLog())
    let root = "/v1/reactors/team/sessions"
    func body(_ owner: String, _ id: String) -> String {
      #"{"id":"\#(id)","parameters":{"owner":"\#(owner)"}}"#
    }
    #expect(try ask(api, "POST", root, by: "ada", body: body("eve", "a")).status == 403)
    #expect(try ask(api, "POST", root, by: "ada", body: body("ada", "a")).status == 201)
    let parameters = #"{"parameters":{"owner":"ada"}}"#
    #expect(try ask(api, "PUT", root + "/b", by: "eve", body: parameters).status == 403)
    #expect(try ask(api, "PUT", root + "/b", by: "ada", body: parameters).status == 201)
    #expect(try ask(api, "PUT", root + "/b", by: "ada").status == 403)
  }
}
