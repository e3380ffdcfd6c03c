import Foundation
import Testing

/// Private values of actions over real stores, kills and crashes.
@Suite(.blocking) struct PrivateValueKillTests {
  private static let secret = "correct-horse-71f3"

  private func start(_ flags: [String], _ more: [String] = []) throws -> ReactordProcess {
    try ReactordProcess(
      flags + ["--changes-keep", "3600"] + more, program: "faulty",
      environment: ["REACTORD_SUPERVISE": "true"])
  }

  /// Every response about a session and what the log of the service has.
  private func shown(_ server: ReactordProcess, _ session: SessionClient) throws -> String {
    let paths = [
      "\(session.path)/log", "\(session.path)/effects", "\(session.path)/state",
      "/v1/reactors/door/failures", "/v1/changes?with=entries", "/v1/quarantine", "/openapi.json",
      "/metrics",
    ]
    return try paths.map { try server.client().get($0).text }.joined() + server.standardError
  }

  @Test(arguments: StoreKind.durable)
  func `a repetition after a kill has the value, and the store then has it no more`(
    kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let flags = try kind.flags("log", in: folder)
    let body = #"{"signIn":{"name":"ada","password":"\#(Self.secret)"}}"#
    let key = ["Idempotency-Key": "k", "Prefer": "respond-async"]
    let first = try ReactordProcess(flags + ["--changes-keep", "3600"], program: "faulty")
    let session = first.session(of: "door")
    #expect(try session.post(body, key).status == 202)
    #expect(try session.log().text == "[]")
    let effects = try first.client().get("\(session.path)/effects").text
    #expect(effects.contains(#"{"signIn":{"name":"ada","password":{"private":0}}}"#))
    #expect(!(try shown(first, session)).contains(Self.secret))
    first.process.kill()
    try first.process.wait()
    let second = try ReactordProcess(flags + ["--changes-keep", "3600"], program: "faulty")
    let again = SessionClient(second.client(), session.path)
    #expect(try eventually { try again.state().text == #"{"ada":\#(Self.secret.count)}"# })
    #expect(!(try shown(second, again)).contains(Self.secret))
    #expect(try second.stop() == .code(0))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder[name]))
      #expect(bytes.range(of: Data(Self.secret.utf8)) == nil, "\(name)")
    }
    let export = try ChildProcess(
      ReactordProcess.path(), ["log", "export"] + flags)
    try export.wait()
    #expect(!export.standardOutput.contains(Self.secret))
    #expect(export.standardOutput.contains(#""private":0"#), "\(export.standardError)")
  }

  @Test func `the mark of an action that crashed the service does not have the value`() throws {
    let folder = try TemporaryFolder()
    let server = try start(["--store", "sqlite:\(folder["log.db"])"])
    let session = server.session(of: "door")
    #expect(throws: (any Error).self) {
      try session.post(#"{"force":{"pin":"\#(Self.secret)"}}"#)
    }
    let again = SessionClient(server.client(), session.path)
    let repeated = try again.post(#"{"force":{"pin":"another"}}"#)
    #expect(repeated.status == 500 && repeated.text.contains("action-crashed"))
    #expect(!(try shown(server, again)).contains(Self.secret))
    let marks = try Data(contentsOf: URL(fileURLWithPath: folder["log.db.marks"]))
    #expect(marks.range(of: Data(Self.secret.utf8)) == nil)
  }
}
