import Identity
import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorSessions
import ReactorStreams
import ReactorTransport
import Shares
import Testing

@testable import ReactorHTTP

@testable import ReactorHTTP

/// `limits.sessions`.
struct CreationLimiterTests {
  private let client = Client.principal("ada")

  @Test func `a client creates its quota at once, and then one per interval`() {
    let limiter = ClientLimiter(limit: 4, per: .seconds(3600))
    for _ in 0..<4 {
      #expect(limiter.wait(of: client, at: 0) == nil)
      limiter.count(client, at: 0)
    }
    #expect(limiter.wait(of: client, at: 0) == 900)
    #expect(limiter.wait(of: client, at: 899_000) == 1)
    #expect(limiter.wait(of: client, at: 900_000) == nil)
    #expect(limiter.wait(of: .principal("eve"), at: 0) == nil)
  }

  @Test func `the table is bounded`() {
    let limiter = ClientLimiter(limit: 1, per: .seconds(3600), capacity: 2)
    for id: UInt8 in 0..<9 { limiter.count(.principal("\(id)"), at: 0) }
    let limited = (UInt8(0)..<9).filter { limiter.wait(of: .principal("\($0)"), at: 0) != nil }
    #expect(limited.count == 2)
  }

  @Test func `a unit is taken within the quota only, and can be given back`() {
    let limiter = ClientLimiter(limit: 2, per: .seconds(3600))
    #expect((0..<4).map { _ in limiter.take(client, at: 0) } == [true, true, false, false])
    limiter.giveBack(client)
    #expect((0..<2).map { _ in limiter.take(client, at: 0) } == [true, false])
    #expect(limiter.take(.principal("eve"), at: 0))
  }

  @Test func `sessions that sends create are counted for the principal of the request`()
    async throws
  {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act"},{"allow":"admin","if":{"role":"root"}}]"#)
    let host = Host([
      ReactorRegistration("fan", summary: "Sends") { FanReactor($0) },
      ReactorRegistration("note", summary: "Receives") { _ in NoteReactor() },
    ])
    var settings = Service.settings
    settings.authentication = configuration
    settings.limits.sessions = 4
    let api = ReactorAPI(host: host, settings: settings, logger: .silent)
    func send(to ids: [String], by sub: String, role: String = "user") async throws -> String {
      let token = SignedToken.make(#"{"sub":"\#(sub)","role":"\#(role)"}"#)
      let responses = Recorder<HTTPResponse>()
      let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
      api.respond(
        to: HTTPRequest(
          method: "POST", path: "/v1/reactors/fan/sessions/\(sub)/actions", query: nil,
          headers: HTTPRequestHeaders([
            (.authorization, "Bearer \(token)"), (.contentType, "application/json"),
          ]), body: Array("[\(list)]".utf8), hasBody: true, peer: nil),
        reply: { responses.add($0) })
      while responses.values.isEmpty { await Task.yield() }
      return try #require(responses.values.first?.text)
    }
    // The session of the principal itself is counted, too.
    #expect(try await send(to: ["ada-0"], by: "ada").contains(#""sent":1"#))
    let many = try await send(to: (0..<35).map { "ada-\($0)" }, by: "ada")
    #expect(many.contains(#""sent":4"#), "\(many)")
    #expect(many.contains("(limits.sessions)"))
    // Sends to sessions that exist, or that another client creates, are not rejected.
    #expect(try await send(to: ["ada-0", "ada-1", "ada-0"], by: "ada").contains(#""sent":7"#))
    #expect(try await send(to: ["ada-9"], by: "ada").contains(#""sent":7"#))
    // All sends to a new session need one place.
    let same = Array(repeating: "eve-0", count: 20)
    #expect(try await send(to: same, by: "eve").contains(#""sent":20"#))
    #expect(try await send(to: ["ada-9"], by: "eve").contains(#""sent":21"#))
    #expect(try await send(to: ["ada-9"], by: "ada").contains(#""sent":8"#))
    let free = try await send(to: (0..<9).map { "op-\($0)" }, by: "op", role: "root")
    #expect(free.contains(#""sent":9"#))
  }

  @Test func `POST, PUT and first actions are counted per principal`() throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"manage","if":{"role":"user"}},{"allow":"admin","if":{"role":"root"}}]"#)
    let service = Service(settings: {
      $0.authentication = configuration
      $0.limits.sessions = 3
    })
    func token(_ sub: String, _ role: String = "user") -> [(name: HTTPHeader, value: String)] {
      let claims = #"{"sub":"\#(sub)","role":"\#(role)"}"#
      return [(.authorization, "Bearer \(SignedToken.make(claims))")]
    }
    let (root, ada) = (Service.root, token("ada"))
    #expect(try service.ask("PUT", root + "/a", ada).status == 201)
    #expect(try service.ask("PUT", root + "/a", ada).status == 200)
    #expect(try service.ask("POST", root, ada, body: #"{"id":"b"}"#).status == 201)
    #expect(try service.ask("POST", root + "/c/actions", ada, body: #"{"add":1}"#).status == 200)
    for _ in 0..<2 {
      #expect(try service.ask("POST", root + "/c/actions", ada, body: #"{"add":1}"#).status == 200)
    }
    let rejected = [
      try service.ask("PUT", root + "/d", ada), try service.ask("POST", root, ada),
      try service.ask("POST", root + "/d/actions", ada, body: #"{"add":1}"#),
      try service.ask("POST", root, ada, body: #"{"from":{"session":"c"}}"#),
    ]
    for response in rejected {
      #expect(response.problem == "429 rate-limited")
      #expect(response[field: "Retry-After"].flatMap { Int($0) } ?? 0 > 1000)
    }
    #expect(try service.ask("PUT", root + "/a", ada).status == 200)
    // The session is stored already.
    #expect(try service.ask("POST", root + "/a/actions", ada, body: #"{"add":1}"#).status == 200)
    #expect(try service.ask("PUT", root + "/e", token("eve")).status == 201)
    // An action that creates nothing is not counted.
    let bea = token("bea")
    for _ in 0..<5 {
      #expect(try service.ask("POST", root + "/f/actions", bea, body: "1").status == 422)
    }
    for id in ["g", "h", "i"] {
      let path = root + "/\(id)/actions"
      #expect(try service.ask("POST", path, bea, body: #"{"add":1}"#).status == 200)
    }
    #expect(try service.ask("PUT", root + "/j", bea).problem == "429 rate-limited")
    // The end of a session that never existed would be stored, also if it is in memory.
    #expect(try service.ask("POST", root + "/l/actions", bea, body: "1").status == 429)
    #expect(try service.ask("POST", root + "/l/actions", token("eve"), body: "1").status == 422)
    #expect(try service.ask("DELETE", root + "/l", bea).problem == "429 rate-limited")
    #expect(try service.ask("DELETE", root + "/k", bea).problem == "429 rate-limited")
    #expect(try service.ask("DELETE", root + "/g", bea).status == 204)
    #expect(try service.ask("DELETE", root + "/g", bea).status == 204)
    for index in 0..<5 {
      let path = "\(root)/r\(index)"
      #expect(try service.ask("PUT", path, token("op", "root")).status == 201)
    }
    // PUT uses only what is stored, and an ended session would begin again.
    #expect(try service.ask("PUT", root + "/l", bea).problem == "429 rate-limited")
    #expect(try service.ask("PUT", root + "/g", bea).problem == "429 rate-limited")
    #expect(
      try service.ask("POST", root + "/g/actions", bea, body: #"{"add":1}"#).problem
        == "410 session-ended")
    // Rejected requests leave no session in memory, and creations that fail are not counted.
    #expect(try service.ask("POST", root + "/m/actions", bea, body: #"{"add":1}"#).status == 429)
    let ids = try service.ask("GET", root, token("op", "root")).text
    #expect(!ids.contains(#""id":"m""#), "\(ids)")
    for _ in 0..<5 {
      #expect(try service.ask("POST", root, token("dan"), body: #"{"id":"a"}"#).status == 409)
    }
    #expect(try service.ask("PUT", root + "/n", token("dan")).status == 201)
  }

  @Test(arguments: ["PUT", "POST"])
  func `concurrent requests create no more sessions than the quota`(method: String) async throws {
    let log = DelayedLog(MemoryLog())
    let configuration = try SignedToken.configuration(rules: #"[{"allow":"manage"}]"#)
    let service = Service(
      log: log, workers: 8,
      settings: {
        $0.authentication = configuration
        $0.limits.sessions = 2
      })
    let ada = [
      (name: HTTPHeader.authorization, value: "Bearer " + SignedToken.make(#"{"sub":"ada"}"#))
    ]
    let ids = (0..<6).map { "s\($0)" }
    for id in ids { log.hold(id) }
    let responses = ids.map { id in
      method == "PUT"
        ? service.start(method, Service.root + "/" + id, ada)
        : service.start(method, Service.root, ada, body: #"{"id":"\#(id)"}"#)
    }
    for id in ids { log.release(id) }
    while responses.contains(where: \.values.isEmpty) { await Task.yield() }
    let statuses = responses.compactMap(\.values.first?.status).sorted()
    #expect(statuses == [201, 201, 429, 429, 429, 429])
  }
}

/// Sends an action to each session that an action names, and counts the sends without an error.
private final class FanReactor: Reactor {
  struct State: Codable, Sendable {
    var sent = 0
    var failure: String?
  }

  typealias Action = String
  typealias Mutation = String?

  let initialState = State()
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) {
    self.context = context
  }

  func mutate(action: String) -> Observable<String?> {
    context.session(named: "note", action).send("1", expecting: .commit).map { _ in nil }
      .catch { .just("\(($0 as? any ActionError)?.detail ?? "\($0)")") }
  }

  func reduce(state: State, mutation: String?) -> State {
    var state = state
    if let mutation { state.failure = mutation } else { state.sent += 1 }
    return state
  }
}

/// Stores the last number that it was sent.
private final class NoteReactor: Reactor {
  typealias Action = Int
  typealias Mutation = Int

  let initialState = 0

  func mutate(action: Int) -> Observable<Int> { .just(action) }

  func reduce(state: Int, mutation: Int) -> Int { mutation }
}
