import LogTestSupport
import ReactorHost
import ReactorLog
import Testing

/// Sessions of a log whose reads complete late and on another thread.
@Suite(.timeLimit(.minutes(10)))
struct DelayedLoadTests {
  let memory = MemoryLog()
  let log: DelayedLog

  init() throws {
    log = DelayedLog(memory)
    let stage = Stage(over: memory)
    for id in ["demo", "other"] {
      for _ in 0..<3 { try stage.session(id).send(#"{"add":1}"#) }
    }
  }

  /// The State with a value, as JSON.
  private func text(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  @Test func `actions that arrive while the session is loaded are executed in their order`()
    async throws
  {
    log.hold("demo")
    let stage = Stage(over: log)
    let outcomes = Recorder<String>()
    for amount in 1...20 {
      try stage.reactor().session("demo", for: .use) { result in
        _ = try? result.get().session.submit(
          Array(#"{"add":\#(amount)}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
        ) { outcomes.add($0.words) }
      }
    }
    #expect(try stage.reactor().liveSession("demo") == nil)
    log.release("demo")
    try await eventually { outcomes.values.count == 20 }
    let expected = (1...20).map { version in
      let sum = 3 + version * (version + 1) / 2
      return "committed \(version + 3) \(text(sum))"
    }
    #expect(outcomes.values == expected)
    #expect(log.loads(of: "demo") == 1)
  }

  @Test func `a request that arrives while others get the session waits for them`() async throws {
    log.hold("demo")
    let stage = Stage(over: log)
    let order = Recorder<Int>()
    try stage.reactor().session("demo", for: .use) { [reactor = try stage.reactor()] result in
      guard case .success = result else { return }
      #expect(reactor.liveSession("demo") == nil)
      reactor.session("demo", for: .use) { _ in order.add(3) }
      order.add(1)
    }
    try stage.reactor().session("demo", for: .use) { _ in order.add(2) }
    log.release("demo")
    try await eventually { order.values.count == 3 }
    #expect(order.values == [1, 2, 3])
    try await eventually { try stage.reactor().liveSession("demo") != nil }
  }

  @Test func `a session that is loaded delays no other one`() async throws {
    log.hold("demo")
    let stage = Stage(over: log)
    let slow = try stage.open("demo")
    let other = try stage.open("other")
    try await eventually { other.values.count == 1 }
    #expect(try other.values.first?.get().session.shown == "3 \(text(3))")
    #expect(slow.values.isEmpty)
    log.release("demo")
    try await eventually { slow.values.count == 1 }
    #expect(try slow.values.first?.get().session.shown == "3 \(text(3))")
  }

  @Test func `a load that fails fails all requests that wait, and the next one loads again`()
    async throws
  {
    log.hold("demo")
    let stage = Stage(over: log)
    let openings = try (0..<5).map { _ in try stage.open() }
    log.fail("demo", .unavailable("gone"))
    try await eventually { openings.allSatisfy { $0.values.count == 1 } }
    for opening in openings {
      #expect(opening.values.first?.failure == .log(.unavailable("gone")))
    }
    #expect(log.loads(of: "demo") == 1)
    let later = try stage.open()
    try await eventually { later.values.count == 1 }
    #expect(try later.values.first?.get().session.current.version == 3)
    #expect(log.loads(of: "demo") == 2)
  }

  @Test func `a request that opens the session again when it could not be loaded loads it again`()
    async throws
  {
    log.hold("demo")
    let stage = Stage(over: log)
    let (reactor, again) = (try stage.reactor(), Recorder<Result<OpenedSession, SessionError>>())
    reactor.session("demo", for: .use) { _ in
      reactor.session("demo", for: .use) { again.add($0) }
    }
    log.fail("demo", .full)
    try await eventually { again.values.count == 1 }
    #expect(try again.values.first?.get().session.current.version == 3)
  }

  @Test func `the end of a session that is being loaded comes after the requests before it`()
    async throws
  {
    log.hold("demo")
    let stage = Stage(over: log)
    let events = Recorder<String>()
    try stage.reactor().session("demo", for: .use) { result in
      events.add("opened \((try? result.get().session.current.version) ?? -1)")
    }
    try stage.reactor().endSession("demo") { _ in events.add("ended") }
    log.release("demo")
    try await eventually { events.values.count == 2 }
    #expect(events.values == ["opened 3", "ended"])
    let later = try stage.open()
    try await eventually { later.values.count == 1 }
    #expect(later.values.first?.failure == .ended)
  }

  @Test func `a request for a session whose end is being written gets the end`() async throws {
    log.hold("demo")
    let stage = Stage(over: log)
    let first = try stage.open(for: .create)  // occupies the slot until its read completes
    let end = Recorder<Result<Void, SessionError>>()
    try stage.reactor().endSession("demo") { end.add($0) }
    let waiting = try stage.open()
    log.release("demo")
    try await eventually { waiting.values.count == 1 && end.values.count == 1 }
    #expect(first.values.first?.failure == .exists)
    #expect(waiting.values.first?.failure == .ended)
  }

  @Test func `reading a session that does not exist waits for the log, and creates none`()
    async throws
  {
    log.hold("new")
    let stage = Stage(over: log)
    let found = Recorder<String>()
    try stage.reactor().findSession("new") { result in
      guard case .success(.absent(let state)) = result else { return found.add("other") }
      found.add(state.words)
    }
    #expect(found.values.isEmpty)
    log.release("new")
    try await eventually { found.values.count == 1 }
    #expect(found.values == ["0 \(text(0))"])
    #expect(stage.liveCount == 0)
  }

  @Test func `a long log is folded page by page`() async throws {
    let writer = Stage(over: memory) { $0.snapshotInterval = .max }
    let many = "[" + Array(repeating: #"{"add":1}"#, count: 100).joined(separator: ",") + "]"
    for _ in 0..<25 { try writer.session("long").send(many) }
    let opening = try Stage(over: log).open("long")
    try await eventually { opening.values.count == 1 }
    #expect(try opening.values.first?.get().session.shown == "2500 \(text(2500))")
  }

  @Test func `a load that outlives its host completes`() async throws {
    log.hold("demo")
    let opening = Recorder<Result<OpenedSession, SessionError>>()
    weak var host: Host?
    do {
      let stage = Stage(over: log)
      host = stage.host
      try stage.reactor().session("demo", for: .use) { opening.add($0) }
    }
    #expect(host == nil)
    log.release("demo")
    try await eventually { opening.values.count == 1 }
    #expect(try opening.values.first?.get().session.current.version == 3)
  }
}
