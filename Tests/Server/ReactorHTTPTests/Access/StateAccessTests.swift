import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// A State is sent only to a client that has `read`, by every endpoint of the table.
struct StateAccessTests {
  /// A request whose response carries the State of a session.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let endpoint: String
    var target: String
    var headers: [(name: HTTPHeader, value: String)] = []
    var body: String?
    /// The session whose State the response carries.
    var session = "secret"
    /// The status for a client that may do everything except read the session.
    var hidden = 403

    var testDescription: String {
      "\(endpoint) \(target) \(headers.map(\.value)) \(body ?? "")"
    }
  }

  private static let root = Service.root
  private static let session = "/v1/reactors/{reactor}/sessions/{session}"

  private static func action(
    _ body: String, _ headers: [(name: HTTPHeader, value: String)] = [], hidden: Int = 204
  ) -> Scenario {
    Scenario(
      endpoint: "POST \(session)/actions", target: "\(root)/secret/actions", headers: headers,
      body: body, hidden: hidden)
  }

  private static func creation(_ body: String, of id: String) -> Scenario {
    Scenario(
      endpoint: "POST /v1/reactors/{reactor}/sessions", target: root, body: body, session: id,
      hidden: 201)
  }

  private static func reading(_ endpoint: String, _ target: String) -> Scenario {
    Scenario(endpoint: "GET \(endpoint)", target: target)
  }

  static let scenarios: [Scenario] =
    [
      action(#"{"add":1}"#), action(#"[{"add":1},{"add":2}]"#), action("[]", hidden: 403),
      action(#"{"add":1}"#, [(.prefer, "respond-async")], hidden: 202),
      action(#"{"add":1}"#, [(.prefer, "wait=5")]),
      action(#""hold""#, [(.prefer, "wait=0")], hidden: 202),
      action(#"[{"add":1},"hold"]"#, [(.prefer, "respond-async")], hidden: 202),
      action(#"{"add":1}"#, [(.idempotencyKey, "new")]),
      // The setup has used this key.
      action(#"{"label":"a-secret"}"#, [(.idempotencyKey, "used")]),
      action(
        #"{"label":"a-secret"}"#, [(.idempotencyKey, "used"), (.prefer, "respond-async")],
        hidden: 202),
      creation(#"{"id":"new"}"#, of: "new"),
      creation(#"{"id":"copy","from":{"session":"secret"}}"#, of: "copy"),
      creation(#"{"id":"copy","from":{"session":"secret","version":1}}"#, of: "copy"),
      creation(#"{"id":"copy","from":{"session":"secret","timers":true}}"#, of: "copy"),
      Scenario(
        endpoint: "POST \(session)/failures/{failure}", target: "\(root)/secret/failures/stored",
        hidden: 204),
      Scenario(endpoint: "PUT \(session)", target: "\(root)/secret", hidden: 204),
      Scenario(endpoint: "PUT \(session)", target: "\(root)/new", session: "new", hidden: 201),
    ]
    + [
      (session, ""), (session + "/state", "/state"), (session + "/state", "/state?version=1"),
      (session + "/state", "/state?select=/label"), (session + "/events", "/events"),
      (session + "/events", "/events?delta=patch"), (session + "/events", "/events?old=true"),
      (session + "/events", "/events?format=datastar"),
      (session + "/events", "/events?replay=all&signals=true"),
    ].map { reading($0, "\(root)/secret\($1)") }
    + [
      reading("/v1/events", "/v1/events?session=number/secret"),
      reading("/v1/events", "/v1/events?session=number/other&session=number/secret&delta=merge"),
    ]
    + ["/v1/changes", "/v1/changes/events"].map {
      Scenario(endpoint: "GET \($0)", target: "\($0)?with=state&after=0", hidden: 200)
    }

  /// Permits everything except to read some sessions.
  private final class Gate: ReactorDelegate {
    typealias Reactor = NumberReactor
    let hidden = Mutex<Set<String>>([])
    let asked = Recorder<String>()

    func authorize(_ access: Access<NumberReactor.Action>) throws {
      guard case .read = access.request else { return }
      asked.add(access.session.id)
      guard !hidden.withLock({ $0.contains(access.session.id) }) else { throw Forbidden() }
    }
  }

  /// The service with the session `secret`, whose State contains `a-secret`.
  private struct Guarded {
    let gate = Gate()
    let log = MemoryLog(changeRetention: .seconds(3_600))
    let api: ReactorAPI

    init(_ authentication: Authenticator.Configuration? = nil, creationLimit: Int = 0) {
      let host = Host(
        [
          ReactorRegistration(
            "number", summary: "A number", exampleActions: [NumberReactor.Action.add(5)],
            delegate: gate
          ) { NumberReactor(effect: .never()) }
        ], globals: [Global<String?>("motto", nil)],
        log: log)
      var settings = Service.settings
      settings.authentication = authentication
      settings.limits.sessions = creationLimit
      api = ReactorAPI(
        host: host, settings: settings, logger: .silent, background: WorkerPool(width: 0))
    }

    func setUp(_ headers: [(name: HTTPHeader, value: String)] = []) throws {
      let created = try ask(
        "POST", "\(root)/secret/actions", headers + [(.idempotencyKey, "used")],
        body: #"{"label":"a-secret"}"#)
      #expect(created.status == 200)
      // A failure that no request has waited for.
      let tag = try #require(created[field: "ETag"])
      let failure = StoredFailure(
        id: "stored", session: "secret", at: .now, action: Array(#"{"add":1}"#.utf8),
        failure: ActionFailure(index: nil, reason: .init(status: 409, title: "Later", detail: nil)))
      log.session(SessionKey(reactor: "number", id: "secret")).append(
        LogBatch(failures: [failure]), to: String(tag.dropFirst().prefix { $0 != "-" }),
        expecting: 1
      ) { _ in }
    }

    func ask(
      _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
      body: String? = nil
    ) throws -> HTTPResponse {
      let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
      let responses = Recorder<HTTPResponse>()
      api.respond(
        to: HTTPRequest(
          method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
          headers: HTTPRequestHeaders(headers + [(.contentType, "application/json")]),
          body: Array((body ?? "").utf8), hasBody: body != nil),
        reply: { responses.add($0) })
      return try #require(responses.values.first, "\(method) \(target)")
    }

    func ask(
      _ scenario: Scenario, _ headers: [(name: HTTPHeader, value: String)] = []
    ) throws -> HTTPResponse {
      let method = String(scenario.endpoint.prefix { $0 != " " })
      return try ask(method, scenario.target, headers + scenario.headers, body: scenario.body)
    }
  }

  /// Everything that a client sees of a response.
  private func content(of response: HTTPResponse) -> String {
    var text = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    if case .stream(let stream) = response.body {
      let reader = Reader(stream)
      // A stream of changes is idle once, while it reads.
      for _ in 0..<2 { while let chunk = reader.next() { text += chunk } }
      reader.close()
    }
    return text + response.text
  }

  /// Whether a content contains a State, or a part that shows the label.
  private func hasState(_ content: String) -> Bool {
    content.contains(#""label":"#) || content.contains("a-secret")
  }

  @Test(arguments: scenarios)
  func `a response has the State exactly if the delegate permits to read it`(
    scenario: Scenario
  ) throws {
    let open = Guarded()
    try open.setUp()
    let before = open.gate.asked.values.count
    let isShown = hasState(content(of: try open.ask(scenario)))
    #expect(isShown)
    #expect(open.gate.asked.values.dropFirst(before).contains(scenario.session))

    let closed = Guarded()
    try closed.setUp()
    closed.gate.hidden.withLock { _ = $0.insert(scenario.session) }
    let response = try closed.ask(scenario)
    #expect(response.status == scenario.hidden)
    let isStillShown = hasState(content(of: response))
    #expect(!isStillShown)
    #expect(response[field: "Session-Parameters"] == nil)
    if (200..<300).contains(response.status), scenario.hidden != 200 {
      #expect(response.text.isEmpty)
      #expect(response[field: "ETag"]?.hasPrefix("\"") == true)
      #expect(response[field: "Content-Type"] == nil)
    }
  }

  @Test func `each endpoint that is described with a State has a scenario`() {
    let carrying = Guarded().api.endpoints.resources.flatMap(\.endpoints).filter { endpoint in
      if case .service = endpoint.reach { return false }
      return endpoint.operation().responses.contains { $0.content?.carriesState ?? false }
    }
    #expect(
      Set(carrying.map { "\($0.method.name) \($0.template)" })
        == Set(Self.scenarios.map(\.endpoint)))
  }

  @Test func `no endpoint shows a part of a session to a client that may not read it`() throws {
    for endpoint in Guarded().api.endpoints.resources.flatMap(\.endpoints) {
      let service = Guarded()
      try service.setUp()
      service.gate.hidden.withLock { _ = $0.insert("secret") }
      let (target, body) = MatrixTests.request(endpoint, session: "secret")
      let response = try service.ask(endpoint.method.name, target, body: body)
      let isShown = content(of: response).contains("a-secret")
      #expect(!isShown, "\(endpoint.method.name) \(target)")
    }
  }

  @Test func `a client that may create no more sessions does not see an existing one`() throws {
    let rules = #"[{"allow":"manage","to":"number/*"}]"#
    let service = Guarded(try SignedToken.configuration(rules: rules), creationLimit: 1)
    let token: [(name: HTTPHeader, value: String)] = [
      (.authorization, "Bearer \(SignedToken.make(#"{"sub":"u"}"#))")
    ]
    try service.setUp(token)
    service.gate.hidden.withLock { _ = $0.insert("secret") }
    let response = try service.ask("PUT", "\(Self.root)/secret", token)
    #expect(response.status == 204)
    #expect(!hasState(content(of: response)))
  }

  @Test(arguments: scenarios)
  func `a principal with rights to other sessions gets no State of this one`(
    scenario: Scenario
  ) throws {
    let service = Guarded(try SignedToken.configuration())
    let owner = SignedToken.make(#"{"sub":"o","scope":"reactord:admin"}"#)
    try service.setUp([(.authorization, "Bearer \(owner)")])
    for right in Right.allCases {
      let claims = #"{"sub":"u","reactord":{"\#(right.name)":["number/new","number/copy"]}}"#
      let response = try service.ask(
        scenario, [(.authorization, "Bearer \(SignedToken.make(claims))")])
      #expect(!content(of: response).contains("a-secret"), "\(right)")
    }
  }

  @Test func `each right includes that to read`() {
    #expect(Right.allCases.allSatisfy { $0.includes(.read) })
  }
}

extension Operation.Response.Content {
  /// Whether the description contains a State of a session.
  fileprivate var carriesState: Bool {
    switch self {
    case .json(.state), .json(.statePart), .stream: true
    case .json(.inline(let schema)), .either(.inline(let schema), _):
      "\(schema)".contains("schemas/Change")
    case .json, .text, .either: false
    }
  }
}
