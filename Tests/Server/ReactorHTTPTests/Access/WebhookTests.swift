import Identity
import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// The decision of a webhook, after the rules.
struct WebhookTests {
  private let webhook = DecidingWebhook()
  private static let user = [(name: HTTPHeader.authorization, value: "Bearer token-of-the-user-x")]
  private static let admin = [(name: HTTPHeader.authorization, value: "Bearer token-of-the-admin")]

  private func service(expiries: StreamExpiries = StreamExpiries()) -> Service {
    var configuration = Authenticator.Configuration.tokens(
      "token-of-the-user-x manage as=ada\ntoken-of-the-admin admin as=root",
      rules: #"[{"allow":"read","to":"number/*","anonymous":true}]"#)
    configuration.webhook = webhook
    return Service(
      log: MemoryLog(changeRetention: .seconds(3_600)), expiries: expiries,
      settings: { $0.authentication = configuration })
  }

  /// The endpoints about sessions that a client with the right to manage may use, and those that create one.
  private static let endpoints = Service().api.endpoints.resources.flatMap(\.endpoints).filter {
    guard let right = $0.right, Right.manage.includes(right) else { return false }
    switch $0.reach {
    case .session, .sessionsInQuery: return true
    case .reactor: return $0.method == .post
    case .service, .anything, .credential: return false
    }
  }

  private func ask(
    _ endpoint: Endpoint, of service: Service,
    _ headers: [(name: HTTPHeader, value: String)] = user
  ) -> Recorder<HTTPResponse> {
    let (target, body) = MatrixTests.request(endpoint, session: "demo")
    return service.start(endpoint.method.name, target, headers, body: body)
  }

  @Test func `each request about a session is decided, and none that needs no session`() throws {
    #expect(Self.endpoints.count >= 15)
    for endpoint in Service().api.endpoints.resources.flatMap(\.endpoints) {
      let service = service()
      let isAsked = Self.endpoints.contains { $0.operation().id == endpoint.operation().id }
      webhook.answer = .denied
      let denied = try #require(ask(endpoint, of: service).values.first, "\(endpoint.template)")
      let place = "\(endpoint.method.name) \(endpoint.template): \(denied.status)"
      if isAsked { #expect(denied.problem == "403 forbidden", "\(place)") }
      webhook.answer = .unavailable
      let failed = try #require(ask(endpoint, of: service).values.first)
      #expect((failed.problem == "503 unavailable") == isAsked, "\(place)")
      webhook.answer = .beyondShare
      let limited = try #require(ask(endpoint, of: service).values.first)
      #expect(limited.text.contains("your share") == isAsked, "\(place)")
      for response in [denied, failed, limited] {
        if case .stream(let stream) = response.body { stream.closed() }
      }
    }
  }

  @Test(arguments: endpoints.indices)
  func `a request waits for the decision, and has no effect before`(_ index: Int) async throws {
    let endpoint = Self.endpoints[index]
    for answer in [DecidingWebhook.Answer.allowed, .denied, .unavailable] {
      let service = service()
      webhook.answer = answer
      webhook.hold()
      let responses = ask(endpoint, of: service)
      while responses.values.isEmpty {
        if webhook.hasHeld {
          let session = service.api.host.reactor("number")?.liveSession("demo")
          #expect(session?.current.cursor.version ?? 0 == 0)
          webhook.release()
          webhook.hold()
        }
        await Task.yield()
      }
      let response = try #require(responses.values.first)
      switch answer {
      case .allowed: #expect([200, 201, 204, 404].contains(response.status), "\(response.text)")
      case .denied: #expect(response.problem == "403 forbidden")
      case .unavailable, .beyondShare: #expect(response.problem == "503 unavailable")
      }
      if case .stream(let stream) = response.body { stream.closed() }
      webhook.release()
    }
  }

  @Test func `the question names the principal, the right, the session and the actions`() throws {
    let service = service()
    _ = try service.ask(
      "POST", "\(Service.root)/demo/actions", Self.user,
      body: #"[{"add":1},{"label":"x"},{"add":2}]"#)
    let question = #""reactor":"number","session":"demo""#
    #expect(
      webhook.questions == [
        #"{"principal":"ada","claims":{},"right":"act",\#(question),"actions":["add","label"]}"#,
        #"{"principal":"ada","claims":{},"right":"read",\#(question)}"#,
      ])
    _ = try service.ask("GET", "\(Service.root)/demo/state")
    #expect(
      webhook.questions.last == #"{"principal":null,"claims":null,"right":"read",\#(question)}"#)
  }

  @Test func `an anonymous client that is denied gets 401`() throws {
    webhook.answer = .denied
    #expect(try service().ask("GET", "\(Service.root)/demo/state").status == 401)
  }

  @Test func `a rule denies first, and an administrator is not decided on`() throws {
    let service = service()
    #expect(try service.ask("PUT", "/v1/globals/motto", Self.user, body: "1").status == 403)
    #expect(try service.act(#"{"add":1}"#).status == 401)
    webhook.answer = .unavailable
    #expect(try service.act(#"{"add":1}"#, Self.admin).status == 200)
    #expect(
      try service.ask("GET", Service.root, Self.admin).text.contains(#""id":"demo""#))
    #expect(webhook.questions.isEmpty)
  }

  @Test func `lists contain the sessions that are known to be permitted, and ask about none`()
    throws
  {
    let service = service()
    try service.act(#"{"add":1}"#, Self.admin)
    let targets = [Service.root, "/v1/changes?after=0"]
    for target in targets {
      #expect(try service.ask("GET", target, Self.user).text.contains("demo"), "\(target)")
    }
    for answer in [DecidingWebhook.Answer.denied, .unavailable] {
      webhook.answer = answer
      for target in targets {
        #expect(!(try service.ask("GET", target, Self.user).text.contains("demo")), "\(target)")
      }
    }
    #expect(webhook.questions.isEmpty)
  }

  @Test func `an explanation says that a webhook decides`() throws {
    let explained = try service().ask("GET", "/v1/access?right=read&on=number/demo", Self.admin)
    #expect(explained.text.contains(#""hasWebhook":true"#))
  }

  // MARK: Streams

  private final class Clock: Sendable {
    private let time = Mutex<Int64>(1_000)

    /// The time in seconds.
    var now: Int64 {
      get { time.withLock { $0 } }
      set { time.withLock { $0 = newValue } }
    }
  }

  private let clock = Clock()

  private func streams() throws -> (service: Service, streams: [Reader]) {
    let service = service(expiries: StreamExpiries(now: { [clock] in clock.now * 1000 }))
    try service.act(#"{"label":"first"}"#, Self.admin)
    let streams = try [
      "\(Service.root)/demo/events", "/v1/events?session=number/demo&session=number/other",
    ].map { try service.open($0, Self.user) }
    for stream in streams { #expect(stream.read().joined().contains("first")) }
    return (service, streams)
  }

  @Test func `a stream continues while the webhook permits it, and ends when it does not`() throws {
    let (service, streams) = try streams()
    for text in ["second", "third"] {
      clock.now += 1
      try service.act(#"{"label":"\#(text)"}"#, Self.admin)
      for stream in streams { #expect(stream.read().joined().contains(text)) }
    }
    webhook.answer = .denied
    clock.now += 1
    try service.act(#"{"label":"later"}"#, Self.admin)
    for stream in streams {
      let text = stream.read().joined()
      #expect(text.contains("expired") && !text.contains("later"))
      #expect(stream.isFinished)
      stream.close()
    }
  }

  @Test func `a stream is silent from the end of a decision to the next one`() async throws {
    let (service, streams) = try streams()
    webhook.hold()
    clock.now += 1
    try service.act(#"{"label":"second"}"#, Self.admin)
    for stream in streams { #expect(!stream.read().joined().contains("second")) }
    while !webhook.hasHeld { await Task.yield() }
    for stream in streams {
      while true {
        webhook.release()
        webhook.hold()
        if stream.read().joined().contains("second") { break }
        #expect(!stream.isFinished)
        await Task.yield()
      }
      stream.close()
    }
    webhook.release()
  }

  @Test(arguments: [DecidingWebhook.Answer.unavailable, .beyondShare])
  func `a webhook that fails ends a stream when its decision ends, not before`(
    answer: DecidingWebhook.Answer
  ) throws {
    let (service, streams) = try streams()
    webhook.answer = answer
    try service.act(#"{"label":"second"}"#, Self.admin)
    for stream in streams { #expect(stream.read().joined().contains("second")) }
    clock.now += 1
    try service.act(#"{"label":"later"}"#, Self.admin)
    for stream in streams {
      let text = stream.read().joined()
      #expect(text.contains("expired") && !text.contains("later"))
      stream.close()
    }
  }

  @Test func `a webhook that is set by a reload decides on open streams`() throws {
    let (service, streams) = try streams()
    let other = DecidingWebhook()
    other.answer = .denied
    var configuration = Authenticator.Configuration.tokens("token-of-the-user-x manage as=ada")
    configuration.webhook = other
    service.api.replaceAuthentication(configuration)
    for stream in streams {
      #expect(stream.read().joined().contains("expired"))
      stream.close()
    }
  }

  @Test func `a new credential of a stream is decided as well`() throws {
    let (service, streams) = try streams()
    for stream in streams { stream.close() }
    let head = try service.ask("GET", "\(Service.root)/demo/events", Self.user)
    let id = try #require(head[field: "Stream-Id"])
    let target = "/v1/streams/\(id)/credential"
    webhook.answer = .denied
    #expect(try service.ask("POST", target, Self.user).status == 403)
    webhook.answer = .allowed
    #expect(try service.ask("POST", target, Self.user).status == 204)
    let stream = try service.reader(of: head)
    #expect(stream.read().joined().contains("first"))
    stream.close()
  }
}
