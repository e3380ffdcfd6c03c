import Foundation
import Testing

/// The changes of all sessions, read with the requests of curl and with `reactord changes`.
@Suite(.blocking) struct ChangeTests {
  @Test(arguments: StoreKind.allCases)
  func `a stream and the pages have the same changes`(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess(kind.flags("log", in: folder) + ["--changes-keep", "3600"])
    let session = server.session(of: "counter")
    let stream = try EventStream(port: server.port, "/v1/changes/events")
    try session.post(#"["increase","increase"]"#)
    let began = try #require(try stream.nextEvent())
    let changed = try #require(try stream.nextEvent())
    #expect(try began.json["kind"] == "began")
    #expect(try changed.json["to"] == 2)
    let list = try server.client().get("/v1/changes?with=state")
    #expect(try list.json.array?.map { $0["id"]?.string } == [began.id, changed.id])
    #expect(try list.json.array?.last?["state"] == ["value": 2])
    #expect(try server.client().get("/v1/changes?after=\(changed.id ?? "")").json == [])
  }

  @Test func `the command prints changes and continues from its file`() throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess("--store", "memory", "--changes-keep", "3600")
    let session = server.session(of: "counter")
    try session.post(#""increase""#)
    func watch() throws -> ChildProcess {
      try ReactordProcess.launch([
        "changes", server.url, "--reactor", "counter", "--with", "state", "--after-file",
        folder["position"],
      ])
    }
    var process = try watch()
    #expect(process.output(contains: #""state":{"value":1}"#))
    // The position is stored after the output.
    let list = try server.client().get("/v1/changes?after=0").json.array
    let last = try #require(list?.last?["id"]?.string)
    #expect(
      eventually {
        (try? String(contentsOfFile: folder["position"], encoding: .utf8)) == last + "\n"
      })
    process.kill()
    _ = try process.wait()
    try session.post(#""increase""#)
    process = try watch()
    #expect(process.output(contains: #""state":{"value":2}"#))
    #expect(!process.standardOutput.contains(#""state":{"value":1}"#))
    process.kill()
    _ = try process.wait()
  }

  @Test func `a program follows the changes of its host`() throws {
    let server = try ReactordProcess(
      "--store", "memory", "--changes-keep", "3600", program: "faulty")
    let session = server.session(of: "ledger")
    try session.post(#"{"enter":1}"#)
    #expect(
      eventually {
        server.standardError.contains("a change was followed")
          && server.standardError.contains(session.id)
      })
  }

  @Test func `the command reports that changes are not retained`() throws {
    let server = try ReactordProcess.shared.get()
    let process = try ReactordProcess.launch(["changes", server.url])
    #expect(try process.wait() == .code(1))
    #expect(process.standardError.contains("changes.keep"))
  }
}
