import Identity
import ReactorTransport
import Synchronization
import ReactorLog
import Testing

@testable import ReactorHTTP

/// Principals × rights × endpoints, generated from the endpoint table: exactly the allowed requests are
/// served.
struct MatrixTests {
  /// A client, and what its claims grant.
  struct Client: Sendable, CustomTestStringConvertible {
    let name: String
    var claims: String?
    var right: Right?
    /// The one session, or `nil` for the whole service.
    var session: String?

    var testDescription: String { name }

    static let all: [Client] =
      [Client(name: "anonymous"), Client(name: "without rights", claims: #"{"sub":"u"}"#)]
      + Right.allCases.flatMap { right in
        [
          Client(
            name: "\(right.name) of one session",
            claims: #"{"sub":"u","reactord":{"\#(right.name)":["number/mine"]}}"#, right: right,
            session: "mine"),
          Client(
            name: "\(right.name) of everything",
            claims: #"{"sub":"u","scope":"openid reactord:\#(right.name)"}"#, right: right),
        ]
      }

    /// Whether the specification allows a request.
    func mayUse(_ endpoint: Endpoint, session: String) -> Bool {
      guard let needed = endpoint.right else { return true }
      switch endpoint.reach {
      case .anything, .credential: return claims != nil
      case .service: return self.session == nil && (right?.includes(needed) ?? false)
      case .session, .sessionsInQuery, .reactor:
        return (right?.includes(needed) ?? false)
          && (self.session == nil || self.session == session || isAboutTheReactor(endpoint))
      }
    }

    /// Whether a request is about the reactor: it is described to every client that may use one of
    /// its sessions.
    ///
    /// The handler checks the session that a POST creates.
    private func isAboutTheReactor(_ endpoint: Endpoint) -> Bool {
      if case .reactor = endpoint.reach { endpoint.method != .post } else { false }
    }
  }

  private static let bodies = [
    "submit": #"{"add":1}"#, "publishSignal": "1", "runActions": #"{"add":1}"#,
    "setGlobal": #""hello""#, "revoke": #"{"jti":"x"}"#,
  ]

  static func request(_ endpoint: Endpoint, session: String) -> (target: String, body: String?) {
    var target = endpoint.template
    for (name, value) in [
      "reactor": "number", "session": session, "effect": "x", "timer": "x", "failure": "x",
      "global": "motto", "revocation": "x", "stream": "x",
      "problem": "not-found", "file": "page.css", "inspectorFile": "tree.js",
      "exampleFile": "chat.html",
    ] {
      target = target.replacing("{\(name)}", with: value)
    }
    if case .sessionsInQuery = endpoint.reach { target += "?session=number/\(session)" }
    if endpoint.template == "/v1/access" { target += "?right=read" }
    let operation = endpoint.operation()
    let body =
      operation.id == "createSession" ? #"{"id":"\#(session)"}"# : Self.bodies[operation.id]
    return (target, body)
  }

  @Test(arguments: Client.all, ["mine", "other"])
  func `a request is served exactly if its right is granted`(
    client: Client, session: String
  ) throws {
    for endpoint in Service().api.endpoints.resources.flatMap(\.endpoints) {
      let configuration = try SignedToken.configuration()
      let service = Service(
        log: MemoryLog(changeRetention: .seconds(3_600)),
        settings: { $0.authentication = configuration })
      let (target, body) = Self.request(endpoint, session: session)
      let token = client.claims.map { SignedToken.make($0) }
      let response = try service.ask(
        endpoint.method.name, target, token.map { [(.authorization, "Bearer \($0)")] } ?? [],
        body: body)
      let place = "\(endpoint.method.name) \(target): \(response.status)"
      let operation = endpoint.operation().id
      // A reactor of which the client can read nothing is hidden.
      let isHidden = endpoint.reach == .reactor && response.problem == "404 unknown-reactor"
      let isServed = ![401, 403].contains(response.status) && !isHidden
      #expect(isServed == client.mayUse(endpoint, session: session), "\(place)")
      // The session has no failure to run again, and the client no stream.
      let isFound = !["runFailureAgain", "replaceStreamCredential"].contains(operation)
      if isServed {
        #expect(
          isFound ? (200..<300).contains(response.status) : response.status == 404, "\(place)")
      }
      if !isServed {
        let mayBeHidden = client.claims != nil && endpoint.reach == .reactor
        #expect(
          response.status == (client.claims == nil ? 401 : 403) || isHidden && mayBeHidden,
          "\(place)")
        #expect(isHidden || response[field: "WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
      }
      if case .stream(let stream) = response.body { stream.closed() }
    }
  }

  @Test func `a rejection is the same whether the session exists`() throws {
    let configuration = try SignedToken.configuration()
    let service = Service(settings: { $0.authentication = configuration })
    let owner = SignedToken.make(#"{"sub":"o","scope":"reactord:admin"}"#)
    let stranger = SignedToken.make(#"{"sub":"u","reactord":{"admin":["number/other"]}}"#)
    let created = try service.ask(
      "PUT", Service.root + "/known", [(.authorization, "Bearer \(owner)")])
    #expect(created.status == 201)
    func rejection(_ endpoint: Endpoint, _ session: String) throws -> [String] {
      let (target, body) = Self.request(endpoint, session: session)
      let response = try service.ask(
        endpoint.method.name, target, [(.authorization, "Bearer \(stranger)")], body: body)
      let fields = response.headers.filter { $0.name != "X-Request-Id" }
      return ["\(response.status)", response.text] + fields.map { "\($0.name): \($0.value)" }
    }
    for endpoint in service.api.endpoints.resources.flatMap(\.endpoints) {
      switch endpoint.reach {
      case .session, .sessionsInQuery: break
      case .anything, .credential, .reactor, .service: continue
      }
      let known = try rejection(endpoint, "known")
      #expect(known.first == "403", "\(endpoint.method.name) \(endpoint.template)")
      #expect(try known == rejection(endpoint, "unknown"))
    }
  }

  @Test(arguments: ["mine", "absent"])
  func `a rejection reads nothing, so that its time does not depend on the session`(
    session: String
  ) throws {
    let log = UnhealthyLog()
    let configuration = try SignedToken.configuration()
    let service = Service(log: log, settings: { $0.authentication = configuration })
    let owner = SignedToken.make(#"{"sub":"o","scope":"reactord:admin"}"#)
    let stranger = SignedToken.make(#"{"sub":"u","reactord":{"admin":["number/other"]}}"#)
    let created = try service.ask(
      "PUT", Service.root + "/mine", [(.authorization, "Bearer \(owner)")])
    #expect(created.status == 201)
    let reads = log.sessionCount.load(ordering: .relaxed)
    for endpoint in service.api.endpoints.resources.flatMap(\.endpoints) {
      switch endpoint.reach {
      case .session, .sessionsInQuery: break
      case .anything, .credential, .reactor, .service: continue
      }
      let (target, body) = Self.request(endpoint, session: session)
      let response = try service.ask(
        endpoint.method.name, target, [(.authorization, "Bearer \(stranger)")], body: body)
      #expect(response.problem == "403 forbidden", "\(endpoint.method.name) \(target)")
    }
    let fork = try service.ask(
      "POST", Service.root, [(.authorization, "Bearer \(stranger)")],
      body: #"{"id":"other","from":{"session":"\#(session)"}}"#)
    #expect(fork.problem == "403 forbidden")
    #expect(log.sessionCount.load(ordering: .relaxed) == reads)
  }

  @Test func `only pages, probes and problem types are public`() {
    let templates = Service().api.endpoints.resources.flatMap(\.endpoints)
      .filter { $0.right == nil }.map(\.template)
    #expect(
      Set(templates) == [
        "/", "/{file}", "/inspector/", "/inspector/{inspectorFile}", "/examples/",
        "/examples/{exampleFile}", "/problems/", "/problems/{problem}", "/healthz", "/readyz",
      ])
  }

  @Test func `a user never sees a byte of another user's session`() throws {
    let rules = #"[{"allow":"manage","to":"number/{sub}"}]"#
    let configuration = try SignedToken.configuration(rules: rules)
    let service = Service(settings: { $0.authentication = configuration })
    func token(_ user: String) -> [(name: HTTPHeader, value: String)] {
      [(.authorization, "Bearer \(SignedToken.make(#"{"sub":"\#(user)"}"#))")]
    }
    let root = Service.root
    let secret = #"{"label":"a-secret-of-bob"}"#
    #expect(
      try service.ask("POST", root + "/bob/actions", token("bob"), body: secret).status == 200)
    #expect(try service.ask("PUT", root + "/ada", token("ada")).status == 201)
    let own = try service.ask("GET", root + "/ada/state", token("ada")).text
    #expect(own.contains("none"))
    var seen: [HTTPResponse] = []
    for endpoint in service.api.endpoints.resources.flatMap(\.endpoints)
    where endpoint.right != nil {
      for session in ["bob", "eve"] {
        let (target, body) = Self.request(endpoint, session: session)
        seen.append(
          try service.ask(endpoint.method.name, target, token("ada"), body: body))
      }
    }
    seen.append(
      try service.ask("GET", "/v1/events?session=number/ada&session=number/bob", token("ada")))
    seen.append(
      try service.ask("POST", root, token("ada"), body: #"{"id":"ada2","from":{"session":"bob"}}"#))
    for response in seen {
      #expect(!response.text.contains("a-secret-of-bob"))
      #expect(!response.text.contains(#""id":"bob""#))
      #expect(!response.text.contains("bob/"))
    }
    // The session is unchanged.
    let state = try service.ask("GET", root + "/bob/state", token("bob"))
    #expect(state.text.contains("a-secret-of-bob"))
    #expect(state[field: "ETag"]?.hasSuffix("-1\"") == true)
  }
}
