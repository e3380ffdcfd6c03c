import Testing

/// Cursors survive a restart of the service: clients continue from their positions.
@Suite(.blocking)
struct RestartTests {
  private let folder: TemporaryFolder
  private let path = "/v1/reactors/counter/sessions/"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
  }

  private func session(_ id: String, of server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), path + id)
  }

  @Test func `a stream of patches continues with a patch from the cursor's version`() throws {
    let before = try start()
    try session("a", of: before).post(#"["increase","increase"]"#)
    let stream = try session("a", of: before).events("?delta=patch")
    var shown = try #require(try stream.nextEvent()).json
    try session("a", of: before).post(#""increase""#)
    let last = try #require(try stream.nextEvent())
    shown = try shown.patched(by: last.json)
    try session("a", of: before).post(#"["increase","increase"]"#)
    try before.stop()

    let after = try start()
    let resumed = try session("a", of: after).events(
      "?delta=patch", ["Last-Event-ID": try #require(last.id)])
    let patch = try #require(try resumed.nextEvent())
    #expect(patch.event == "patch")
    #expect(patch.cursor?.version == 5)
    #expect(try shown.patched(by: patch.json) == ["value": 5])
  }

  @Test func `a stream of several sessions continues with every version of each`() throws {
    let names = "session=counter/a&session=counter/b&replay=all"
    var seen: [String: [Int]] = [:]
    var id: String?
    for round in 0..<3 {
      let server = try start()
      for name in ["a", "b"] {
        try session(name, of: server).post(#"["increase","increase","increase"]"#)
      }
      let stream = try EventStream(
        port: server.port, "/v1/events?" + names, id.map { ["Last-Event-ID": $0] } ?? [:])
      // Read only some of the events: the others arrive after the restart.
      for _ in 0..<(round == 2 ? 8 : 6) {
        let event = try #require(try stream.nextEvent())
        let name = try #require(event.event)
        seen[name, default: []].append(try #require(try event.json["value"]?.int))
        id = event.id
      }
      try server.stop()
    }
    #expect(seen.count == 2)
    for versions in seen.values { #expect(versions == Array(0...9)) }
  }
}
