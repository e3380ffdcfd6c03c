import Foundation
import Testing

/// Requests and conditions that would stop a service without protection.
///
/// `make hostile` measures their cost to other clients. These tests check the responses.
@Suite(.blocking) struct HostileClientTests {
  private static let chat = "/v1/reactors/chat/sessions/room"

  /// Text whose comparison as a `String` takes quadratic time.
  private static func marks(_ count: Int) -> String {
    "a" + String(repeating: "\u{301}\u{316}", count: count / 4)
  }

  private static func escapedMarks(_ count: Int) -> String {
    "a" + String(repeating: "%CC%81%CC%96", count: count / 12)
  }

  @Test(.enabled(if: !Sanitizer.isUsed))
  func `text that is slow to compare takes linear time, wherever it is sent`() throws {
    let server = try ReactordProcess()
    let client = server.client()
    let state = "/v1/reactors/counter/sessions/demo/state"
    #expect(try client.get(state).status == 200)
    let before = try Self.processorTime(of: server)
    for field in ["Accept", "Prefer", "Origin", "Authorization", "X-Request-Id", "Traceparent"] {
      #expect(try client.get(state, [field: Self.marks(14_000)]).status < 500)
    }
    let (marks, large) = (Self.escapedMarks(14_000), Self.marks(100_000))
    for target in [
      "/v1/reactors/\(marks)", "/v1/reactors/counter/sessions/\(marks)/state",
      "/v1/events?session=counter/\(marks)", "/v1/reactors/counter/sessions?after=\(marks)",
      state + "?select=/\(marks)", state + "?\(marks)=1",
    ] {
      #expect((200..<500).contains(try client.get(target).status))
    }
    for body in [#""\#(large)""#, #"{"\#(large)":1}"#, #"{"add":{"\#(large)":1}}"#] {
      let response = try server.session(of: "counter").post(body)
      try expectProblem(response, 422, "invalid-action")
    }
    // With quadratic time, each body would take about ten seconds.
    #expect(try Self.processorTime(of: server) - before < .seconds(8))
  }

  @Test func `an array of too many actions is rejected before it is decoded`() throws {
    let server = try ReactordProcess()
    let room = SessionClient(server.client(), Self.chat)
    let joins = (0..<20_000).map { #"{"join":"m\#($0)"}"# }.joined(separator: ",")
    let problem = try expectProblem(try room.post("[\(joins)]"), 422, "invalid-action")
    #expect(problem["detail"] == "The array has more than 1000 actions.")
    #expect(try room.state().cursor?.version == 0)
  }

  @Test func `a State that would be too large is 507, and nothing changes`() throws {
    let server = try ReactordProcess("--limits-state", "4000")
    let room = SessionClient(server.client(), Self.chat)
    #expect(try room.post(#"{"join":"ada"}"#).status == 200)
    let before = try room.state()
    let text = String(repeating: "x", count: 5_000)
    for _ in 0..<2 {
      // The second response is the stored outcome of the key.
      let rejected = try room.post(
        #"{"send":{"from":"ada","text":"\#(text)"}}"#, ["Idempotency-Key": "\"k\""])
      try expectProblem(rejected, 507, "state-too-large")
    }
    #expect(try room.state().text == before.text)
    #expect(try room.state()["ETag"] == before["ETag"])
    #expect(try room.post(#"{"send":{"from":"ada","text":"short"}}"#).status == 200)
  }

  @Test func `more effects than a session or a client may run are 503`() throws {
    let server = try ReactordProcess(program: "faulty")
    let prefer = ["Prefer": "respond-async"]
    // Five sessions with as many effects as one may run are half of those of the service: the share of a client.
    let waits = "[" + Array(repeating: #""wait""#, count: 1_000).joined(separator: ",") + "]"
    let sessions = (0..<5).map { _ in server.session(of: "faulty") }
    for (index, session) in sessions.enumerated() {
      #expect(try session.post(waits, prefer).status == 202)
      #expect(
        try eventually {
          try server.client().get("/metrics").text.contains(
            "\nreactord_effects_running{reactor=\"faulty\"} \((index + 1) * 1_000)\n")
        })
      try expectProblem(try session.post(#""wait""#), 503, "effect-failed")
    }
    let further = server.session(of: "faulty")
    let problem = try expectProblem(try further.post(#""wait""#), 503, "effect-failed")
    #expect(problem["detail"]?.string?.contains("your share") == true)
    let other = SessionClient(HTTPClient(port: server.port, source: 2), further.path)
    #expect(try other.post(#""wait""#, prefer).status == 202)
    // Actions without effects are still executed.
    #expect(try sessions[0].post(#"{"add":1}"#).status == 200)
  }

  @Test func `a page of a log has at most a mebibyte, and a link to the next one`() throws {
    let server = try ReactordProcess()
    let room = SessionClient(server.client(), Self.chat)
    #expect(try room.post(#"{"join":"ada"}"#).status == 200)
    let text = String(repeating: "x", count: 2_000)
    let message = #"{"send":{"from":"ada","text":"\#(text)"}}"#
    let messages = "[" + Array(repeating: message, count: 100).joined(separator: ",") + "]"
    for _ in 0..<5 { #expect(try room.post(messages).status == 200) }
    var page: String? = Self.chat + "/log?limit=1000"
    var (entries, pages) = (0, 0)
    while let path = page {
      let response = try room.client.get(path)
      #expect(response.body.count < 2 << 20)
      entries += try response.json.array?.count ?? 0
      pages += 1
      page = response.nextPage
    }
    #expect(entries == 501)
    #expect(pages > 1)
  }

  @Test func `a store that is deleted is 503, not ready, and no store at the restart`() throws {
    let folder = try TemporaryFolder()
    let flags = ["--store", "sqlite:\(folder["log.db"])"]
    let server = try ReactordProcess(flags)
    let session = server.session(of: "counter")
    #expect(try session.post(#""increase""#).status == 200)
    try FileManager.default.removeItem(atPath: folder["log.db"])
    try expectProblem(try session.post(#""increase""#), 503, "unavailable")
    #expect(try server.client().get("/readyz").status == 503)
    #expect(try server.client().get("/healthz").status == 200)
    #expect(eventually { server.standardError.contains(" error ") })
    try server.stop()
    guard FileManager.default.fileExists(atPath: folder["log.db-wal"]) else { return }
    let restart = try ReactordProcess.launch(["serve", "--listen", "127.0.0.1:0"] + flags)
    #expect(try restart.wait() == .code(78))
  }

  /// The processor time that the service has used.
  private static func processorTime(of server: ReactordProcess) throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(server.process.id)/stat", encoding: .utf8)
    // The name in parentheses can contain spaces. User and system time are the fields 14 and 15.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = try fields[11...12].map { try #require(Int($0)) }.reduce(0, +)
    return .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
  }
}
