import Foundation
import Testing

/// A reactor that sends to texts which are no session ids: its actions fail as the request of a client does,
/// and the feed, the lists and the store are as before.
@Suite(.blocking) struct OddTargetTests {
  private static let ids = [
    "bad id", "", "..", "ä", "a/b", "a%20b", "\u{0}", String(repeating: "x", count: 5_000),
  ]
  private static let ways = ["send", "sendOnly", "named", "observe", "afterCommit", "timer"]
  private static let amount = 7

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(_ store: [String]) throws -> ReactordProcess {
    try ReactordProcess(store + ["--changes-keep", "3600"], program: "faulty")
  }

  private func purse(_ server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), "/v1/reactors/purse/sessions/own")
  }

  @Test(arguments: StoreKind.allCases)
  func `each send fails as for a client, and ends no feed, list, export or import`(
    kind: StoreKind
  ) throws {
    let store = try kind.flags("log", in: folder)
    let copy = try kind.flags("new", in: folder)
    var server = try start(store)
    // The problem of a request for an invalid id.
    let problem = try server.client().get("/v1/reactors/purse/sessions/bad%20id/state")
    #expect(problem.status == 400)
    var number = 0
    for id in Self.ids {
      for way in Self.ways {
        number += 1
        let text = String(decoding: try JSONEncoder().encode(id), as: UTF8.self)
        let response = try purse(server).post(
          #"{"pay":{"_0":\#(number),"amount":\#(Self.amount),"to":\#(text),"by":"\#(way)"}}"#)
        guard way != "afterCommit", way != "timer" else {
          #expect(response.status == 200, "\(way)")
          continue
        }
        #expect(response.status == problem.status, "\(way) \(response.text)")
        for member in ["type", "title", "status", "detail"] {
          #expect(try response.json[member] == problem.json[member], "\(way)")
        }
      }
    }
    try check(server, transfers: number)
    guard kind != .memory else { return }
    let changes = try server.client().get("/v1/changes?after=0&limit=1000").json
    server.process.kill()
    try server.process.wait()
    server = try start(store)
    try check(server, transfers: number)
    #expect(try server.client().get("/v1/changes?after=0&limit=1000").json == changes)
    try server.stop()
    try run(["log", "export"] + store, to: "all.jsonl")
    try run(["log", "import"] + copy, from: "all.jsonl")
    try run(["log", "verify"] + copy)
    server = try start(copy)
    try check(server, transfers: number)
  }

  /// Checks that every transfer was refunded, and that the lists and the feed have the one session.
  private func check(_ server: ReactordProcess, transfers: Int) throws {
    let own = purse(server)
    #expect(try eventually { try own.state().json["refunded"]?.int == transfers })
    #expect(try own.state().json["balance"] == 1_000_000)
    #expect(try own.state().json["open"] == [:])
    let failures = Self.ids.count * 2
    #expect(
      try eventually {
        try server.client().get("/v1/reactors/purse/failures").json["failures"]?.array?
          .filter { $0["id"] != nil && $0["status"] == 400 }.count == failures
      })
    let list = try server.client().get("/v1/reactors/purse/sessions").json["sessions"]?.array
    #expect(list?.compactMap { $0["id"]?.string } == ["own"])
    let changes = try server.client().get("/v1/changes?after=0&limit=1000")
    #expect(changes.status == 200)
    #expect(try changes.json.array?.allSatisfy { $0["session"] == "own" } == true)
  }

  private func run(_ words: [String], from input: String? = nil, to output: String? = nil) throws {
    let redirections =
      (input.map { " < '\(folder[$0])'" } ?? "") + (output.map { " > '\(folder[$0])'" } ?? "")
    let command = try ([ReactordProcess.path(of: "faulty")] + words).map { "'\($0)'" }
    let process = try ChildProcess(
      "/bin/sh", ["-c", command.joined(separator: " ") + redirections])
    #expect(try process.wait() == .code(0), "\(words) \(process.standardError)")
  }
}
