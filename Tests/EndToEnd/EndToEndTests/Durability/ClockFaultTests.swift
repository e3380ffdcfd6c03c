import Testing

/// A wall clock that is set while the service runs, and while it does not.
@Suite(.blocking) struct ClockFaultTests {
  private static let day = 86_400

  private let folder: TemporaryFolder
  private let machine: FaultyMachine
  private let path = "/v1/reactors/counter/sessions/demo"

  init() throws {
    folder = try TemporaryFolder()
    machine = try FaultyMachine(files: folder)
  }

  private func start(_ flags: String...) throws -> ReactordProcess {
    try ReactordProcess(
      ["--store", "sqlite:\(folder["log.db"])"] + flags, environment: machine.environment)
  }

  private func session(of server: ReactordProcess) -> SessionClient {
    SessionClient(server.client(), path)
  }

  @Test func `versions keep their order whatever the clock shows`() throws {
    let server = try start()
    let session = session(of: server)
    let stream = try session.events("?replay=all")
    for days in [0, -30, 30, -1] {
      try machine.setClock(wrongBy: days * Self.day)
      #expect(try session.post(#""increase""#).status == 200)
    }
    #expect(try stream.events(upTo: 4).map(\.cursor?.version) == [0, 1, 2, 3, 4])
    let entries = try #require(try session.log().json.array)
    #expect(entries.map { $0["version"]?.int } == [1, 2, 3, 4])
    let moments = entries.compactMap { $0["at"]?.string }
    #expect(moments[1] < moments[3] && moments[3] < moments[0] && moments[0] < moments[2])

    server.process.kill()
    try server.process.wait()
    let again = try start()
    #expect(try self.session(of: again).state().json == ["value": 4])
    #expect(try self.session(of: again).post(#""increase""#).cursor?.version == 5)
  }

  @Test func `a key survives a clock set back, and expires with a clock set forward`() throws {
    let server = try start()
    let session = session(of: server)
    let key = ["Idempotency-Key": "\"once\""]
    #expect(try session.post(#""increase""#, key).json == ["value": 1])
    for days in [-30, 0] {
      try machine.setClock(wrongBy: days * Self.day)
      let replayed = try session.post(#""increase""#, key)
      #expect(try replayed.json == ["value": 1])
      #expect(replayed["Idempotent-Replayed"] == "true")
    }
    try machine.setClock(wrongBy: 2 * Self.day)
    #expect(try session.post(#""increase""#, key).json == ["value": 2])
    try machine.setClock(wrongBy: 0)
    #expect(try session.post(#""increase""#, key).json == ["value": 2])
  }

  @Test func `retention follows the clock and never removes the State`() throws {
    let batch = "[" + Array(repeating: #""increase""#, count: 100).joined(separator: ",") + "]"
    let server = try start("--log-retain", "3d")
    let first = session(of: server)
    for _ in 0..<11 { #expect(try first.post(batch).status == 200) }
    // Entries that were written while the clock was set back are old; entries of the future are
    // not.
    try machine.setClock(wrongBy: 30 * Self.day)
    for _ in 0..<11 { #expect(try first.post(batch).status == 200) }
    #expect(
      try eventually { try oldest(first) > 1000 })
    try machine.setClock(wrongBy: -30 * Self.day)
    for _ in 0..<11 { #expect(try first.post(batch).status == 200) }
    #expect(try first.state().json == ["value": 3300])
    #expect(try oldest(first) <= 2200)
    try server.stop()

    try machine.setClock(wrongBy: 0)
    let again = try start("--log-retain", "3d")
    let session = session(of: again)
    #expect(
      try eventually { try oldest(session) > 2200 })
    #expect(try session.state().json == ["value": 3300])
    #expect(try session.post(#""increase""#).json == ["value": 3301])
  }

  /// The first version in the log.
  private func oldest(_ session: SessionClient) throws -> Int {
    try session.log("?limit=1").json.array?.first?["version"]?.int ?? 0
  }
}
