import ReactorCoding
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `?delta=patch`: differences in place of whole states.
struct PatchStreamTests {
  private let service = Service(settings: { $0.limits.streamBuffer = 4 })

  private func state(_ value: Int, _ label: String = "none") -> String {
    #"{"value":\#(value),"label":"\#(label)"}"#
  }

  private func replacing(_ value: Int) -> String {
    #"patch [{"op":"replace","path":"/value","value":\#(value)}]"#
  }

  private func lastEventID(_ version: Int) throws -> [(name: HTTPHeader, value: String)] {
    [(.lastEventID, try service.cursor(version))]
  }

  @Test func `the whole state comes first, then patches`() throws {
    try service.addOnes(1)
    let reader = try service.watch("delta=patch")
    #expect(reader.read() == ["retry", "state \(state(1))"])
    try service.addOnes(2)
    #expect(reader.read() == [replacing(2), replacing(3)])
    #expect(reader.ids == [1, 2, 3])
  }

  @Test func `a version without changes is an empty patch`() throws {
    let reader = try service.watch("delta=patch").skipOpening()
    try service.act(#"{"add":0}"#)
    #expect(reader.read() == ["patch []"])
    #expect(reader.ids.last == 1)
  }

  @Test func `a reconnecting client gets a patch from its version`() throws {
    try service.addOnes(5)
    let reader = try service.watch("delta=patch", lastEventID(2))
    #expect(reader.read() == ["retry", replacing(5)])
    try service.addOnes(1)
    #expect(reader.read() == [replacing(6)])
    #expect(reader.ids == [5, 6])
  }

  @Test func `a reconnecting client that is current gets only a comment`() throws {
    try service.addOnes(2)
    let reader = try service.watch("delta=patch", lastEventID(2))
    #expect(reader.read() == ["retry", ": current"])
    try service.addOnes(1)
    #expect(reader.read() == [replacing(3)])
  }

  @Test func `a cursor of another history gets the whole state`() throws {
    try service.addOnes(2)
    #expect(
      try service.watch("delta=patch&last_event_id=x").read()
        == ["retry", "reset {}", "state \(state(2))"])
  }

  @Test func `a removed version gets the whole state`() throws {
    let service = Service(
      log: MemoryLog(retainedVersions: 0), host: { $0.snapshotInterval = 5 })
    try service.addOnes(12)
    let reader = try service.watch("delta=patch", [(.lastEventID, try service.cursor(3))])
    #expect(reader.read() == ["retry", "state \(state(12))"])
  }

  @Test func `a slow subscriber gets a patch from its last event`() throws {
    let reader = try service.watch("delta=patch").skipOpening()
    try service.addOnes(1)
    #expect(reader.read() == [replacing(1)])
    try service.addOnes(9)
    #expect(reader.read() == [replacing(10)])
    try service.addOnes(2)
    #expect(reader.read() == [replacing(11), replacing(12)])
  }

  @Test func `a part has its own patches`() throws {
    let reader = try service.watch("delta=patch&select=/label")
    #expect(reader.read() == ["retry", #"state "none""#])
    try service.addOnes(1)
    #expect(reader.read() == [])
    try service.act(#"{"label":"a"}"#)
    #expect(reader.read() == [#"patch [{"op":"replace","path":"","value":"a"}]"#])
  }

  @Test func `a part that returned to its old value while the reader was slow is not sent`() throws
  {
    for query in ["select=/label", "select=/label&delta=patch"] {
      let service = Service(settings: { $0.limits.streamBuffer = 2 })
      let reader = try service.watch(query).skipOpening()
      for label in ["a", "b", "c", "none"] { try service.act(#"{"label":"\#(label)"}"#) }
      #expect(reader.read() == [])
      try service.act(#"{"label":"d"}"#)
      #expect(reader.read().count == 1)
    }
  }

  @Test func `with replay every version is a patch from the one before`() throws {
    try service.addOnes(3)
    let reader = try service.watch("delta=patch&replay=all")
    #expect(
      reader.read()
        == ["retry", "state \(state(0))", replacing(1), replacing(2), replacing(3)])
    try service.addOnes(10)
    #expect(reader.read() == (4...13).map { replacing($0) })
    let rest = try service.watch("delta=patch&replay=all", lastEventID(11))
    #expect(rest.read() == ["retry", replacing(12), replacing(13)])
  }

  @Test(arguments: ["delta=", "delta=json", "delta=patch&select=x"])
  func `an unknown value of a parameter is a problem`(query: String) throws {
    let response = try service.ask("GET", "\(Service.root)/demo/events?\(query)")
    #expect([400, 422].contains(response.status))
  }

  @Test(
    .timeLimit(.minutes(60)),
    arguments: [
      "delta=patch", "delta=patch&replay=all", "delta=patch&select=/label",
      "delta=patch&select=/label&replay=all",
    ], [4, 9_000])
  func `applying each patch results in the state, with concurrent readers and writers`(
    query: String, size: Int
  ) async throws {
    let service = Service(workers: 2, settings: { $0.limits.streamBuffer = 8 })
    let reader = try await service.watchLater(query)
    async let writing: Void = Task.detached {
      for round in 1...60 {
        let label = String(repeating: "x", count: size + round % 7)
        let responses = service.start(
          "POST", "\(Service.root)/demo/actions", body: #"[{"add":1},{"label":"\#(label)"}]"#)
        // Requests have an order when the session is in memory.
        while round == 1, responses.values.isEmpty { await Task.yield() }
      }
      _ = service.start("POST", "\(Service.root)/demo/actions", body: #"{"label":"last"}"#)
    }.value
    var shown: JSONValue?
    var versions: [Int] = []
    let isDone = { (value: JSONValue?) in value?["label"] == "last" || value == "last" }
    while !isDone(shown) {
      guard let event = reader.nextEvent() else {
        await Task.yield()
        continue
      }
      guard let version = event.version, let data = event.json else { continue }
      versions.append(version)
      switch event.name {
      case "state": shown = JSONValue(data)
      case "patch": shown = try JSONPatch(data).applied(to: try #require(shown))
      default: Issue.record("There is an event \(event.name ?? "without a name").")
      }
      if query.contains("replay"), !query.contains("select") {
        let states = service.start("GET", "\(Service.root)/demo/state?version=\(version)")
        while states.values.isEmpty { await Task.yield() }
        #expect(shown?.bytes == Array((states.values.first?.text ?? "").utf8))
      }
    }
    await writing
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    if query == "delta=patch&replay=all" { #expect(versions == Array(0...121)) }
    reader.close()
  }
}
