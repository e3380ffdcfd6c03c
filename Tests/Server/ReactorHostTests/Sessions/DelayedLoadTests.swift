import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Synchronization
import Testing

/// Sessions of a log whose reads block for long.
@Suite(.timeLimit(.minutes(60)))
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

  /// Begins to open a session on another thread, and returns when its read is held.
  private func beginOpening(
    _ id: String = "demo", at stage: Stage
  ) async throws -> Recorder<Result<OpenedSession, SessionError>> {
    let opening = Recorder<Result<OpenedSession, SessionError>>()
    let reactor = try stage.reactor()
    await log.begin { opening.add { try await reactor.session(id, for: .use) } }
    return opening
  }

  @Test func `actions that arrive while the session is loaded are executed in their order`()
    async throws
  {
    log.hold("demo")
    let stage = Stage(over: log)
    let outcomes = Recorder<String>()
    let reactor = try #require(try stage.reactor() as? any LocalReactor)
    @Sendable func add(_ amount: Int) {
      reactor.use("demo") { result in
        _ = try? result.get().submit(
          Array(#"{"add":\#(amount)}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
        ) { outcomes.add($0.words) }
      }
    }
    await log.begin { add(1) }
    for amount in 2...20 { add(amount) }
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
    let reactor = try #require(try stage.reactor() as? any LocalReactor)
    await log.begin {
      reactor.use("demo") { result in
        guard case .success = result else { return }
        #expect(reactor.liveSession("demo") == nil)
        reactor.use("demo") { _ in order.add(3) }
        order.add(1)
      }
    }
    reactor.use("demo") { _ in order.add(2) }
    log.release("demo")
    try await eventually { order.values.count == 3 }
    #expect(order.values == [1, 2, 3])
    try await eventually { try stage.reactor().liveSession("demo") != nil }
  }

  @Test func `a session that is loaded delays no other one`() async throws {
    log.hold("demo")
    let stage = Stage(over: log)
    let slow = try await beginOpening(at: stage)
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
    let first = try await beginOpening(at: stage)
    let openings = try [first] + (0..<4).map { _ in try stage.open() }
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
    await log.begin {
      again.add {
        _ = try? await reactor.session("demo", for: .use)
        return try await reactor.session("demo", for: .use)
      }
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
    let reactor = try #require(try stage.reactor() as? any LocalReactor)
    await log.begin {
      reactor.use("demo") { result in
        events.add("opened \((try? result.get().current.version) ?? -1)")
      }
    }
    begin {
      try await reactor.endSession("demo")
    } completion: { _ in
      events.add("ended")
    }
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
    let (first, end) = (
      Recorder<Result<OpenedSession, SessionError>>(), Recorder<Result<Void, SessionError>>()
    )
    let reactor = try stage.reactor()
    // Occupies the slot until its read completes.
    await log.begin { first.add { try await reactor.session("demo", for: .create) } }
    end.add { try await reactor.endSession("demo") }
    let waiting = try stage.open()
    log.release("demo")
    try await eventually {
      [first.values.count, end.values.count, waiting.values.count] == [1, 1, 1]
    }
    #expect(first.values.first?.failure == .exists)
    #expect(waiting.values.first?.failure == .ended)
  }

  @Test func `reading a session that does not exist waits for the log, and creates none`()
    async throws
  {
    log.hold("new")
    let stage = Stage(over: log)
    let found = Recorder<String>()
    let reactor = try stage.reactor()
    await log.begin {
      begin {
        try await reactor.findSession("new")
      } completion: { result in
        guard case .success(.absent(let state)) = result else { return found.add("other") }
        found.add(state.words)
      }
    }
    #expect(found.values.isEmpty)
    log.release("new")
    try await eventually { found.values.count == 1 }
    #expect(found.values == ["0 \(text(0))"])
    #expect(stage.liveCount == 0)
  }

  @Test func `streams of a session that does not exist read the log once, until it is created`()
    async throws
  {
    log.hold("new")
    let stage = Stage(over: log)
    let reactor = try stage.reactor()
    let sources = Recorder<Result<any SessionSource, SessionError>>()
    await log.begin { sources.add { try await reactor.streamSource("new") } }
    #expect(reactor.liveStreamSource("new") == nil)  // its initial State is not known yet
    log.release("new")
    try await eventually { sources.values.count == 1 }
    let first = try #require(sources.values.first).get()
    #expect(reactor.liveStreamSource("new") === first)
    let opening = try stage.open("new")
    try await eventually { opening.values.count == 1 }
    try #require(opening.values.first).get().session.send(#"{"add":1}"#)
    #expect(reactor.liveStreamSource("new") is any Session)
    #expect(first.current.version == 1)
  }

  @Test func `a commit while a loaded session gets its streams follows the State of the log`()
    async throws
  {
    log.hold("new")
    let stage = Stage(over: log)
    let reactor = try stage.reactor()
    let sources = Recorder<Result<any SessionSource, SessionError>>()
    await log.begin { sources.add { try await reactor.streamSource("new") } }
    log.release("new")
    try await eventually { sources.values.count == 1 }
    let source = try #require(sources.values.first).get()
    let watcher = Watcher()
    #expect(source.observe(watcher)?.version == 0)
    source.observeActivity(ActivityReaction { try stage.name.set("Ada") })
    // Another process creates the session.
    _ = try Stage(over: memory).session("new").send(#"{"add":1}"#)
    let opening = try stage.open("new")
    try await eventually { opening.values.count == 1 && watcher.seen.values.count == 2 }
    #expect(
      watcher.seen.values == ["1 \(text(1))", #"2 {"value":1,"name":"Ada","ratio":null}"#])
  }

  @Test func `a long log is folded page by page`() async throws {
    let writer = Stage(over: memory) { $0.snapshotInterval = .max }
    let many = "[" + Array(repeating: #"{"add":1}"#, count: 100).joined(separator: ",") + "]"
    let outcomes = try (0..<25).map { _ in try writer.session("long").send(many) }
    // A long array continues in later turns on a busy machine.
    try await eventually { outcomes.allSatisfy { $0.values.count == 1 } }
    let opening = try Stage(over: log).open("long")
    try await eventually { opening.values.count == 1 }
    #expect(try opening.values.first?.get().session.shown == "2500 \(text(2500))")
  }

  @Test func `a load that outlives its host completes`() async throws {
    log.hold("demo")
    let opening: Recorder<Result<OpenedSession, SessionError>>
    weak var host: Host?
    do {
      let stage = Stage(over: log)
      host = stage.host
      opening = try await beginOpening(at: stage)
    }
    #expect(host == nil)
    log.release("demo")
    try await eventually { opening.values.count == 1 }
    #expect(try opening.values.first?.get().session.current.version == 3)
  }

  // MARK: Other reads

  @Test func `interrupted actions are started again`() async throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: log)
    await stage.host.resumeInterruptedActions()
    stage.effects["a"].onNext(.add(4))
    #expect(try stage.session().shown == "4 \(text(7))")
  }

  @Test func `timers of sessions that are not in memory fire`() async throws {
    func host(_ log: any MutationLog) -> Host {
      Host([ReactorRegistration("timers", summary: "Timers") { TimerReactor() }], log: log)
    }
    let at = WallTime(milliseconds: 5000)
    try host(memory).open("timers", "demo")
      .send(#"{"arm":{"id":"a","at":"\#(at)","every":null,"catchUp":false}}"#)
    #expect(try memory.timerCount() == 1)
    let restarted = host(log)
    let firing = Task { await restarted.fireTimers() }
    defer { firing.cancel() }
    try await eventually { try memory.timerCount() == 0 }
  }

  @Test func `a key is looked up in the log, and the request is executed once`() async throws {
    try Stage(over: memory).session().send(#"{"add":1}"#, key: "before")
    let opening = try Stage(over: log).open()
    try await eventually { opening.values.count == 1 }
    let session = try #require(opening.values.first).get().session
    let requests = try ["before", "new", "new"].map { try session.send(#"{"add":1}"#, key: $0) }
    try await eventually { requests.allSatisfy { $0.values.count == 1 } }
    let outcomes = requests.compactMap(\.values.first)
    #expect(outcomes[0] == "replayed committed 4 \(text(4))")
    #expect(Set(outcomes[1...]).contains("committed 5 \(text(5))"))
    #expect(session.current.version == 5)
  }

  @Test func `a fork has the history up to its version`() async throws {
    let stage = Stage(over: log)
    let reactor = try stage.reactor()
    #expect(try await reactor.fork("demo", at: 2, to: "copy").session.shown == "2 \(text(2))")
    let unknownVersion = SessionError.history(.unknownVersion(oldest: 0, latest: 3))
    await #expect(throws: unknownVersion) {
      try await reactor.fork("demo", at: 9, to: "other-copy")
    }
    await #expect(throws: SessionError.unknown) {
      try await reactor.fork("nothing", at: nil, to: "third-copy")
    }
  }

  @Test func `the State at a cursor is read without loading the session`() async throws {
    let stage = Stage(over: log)
    let epoch = Epoch.first(of: SessionKey(reactor: "sample", id: "demo"))
    let reactor = try stage.reactor()
    let first = try await reactor.storedState("demo", at: Cursor(epoch: epoch, version: 1))
    #expect(first.map { String(decoding: $0, as: UTF8.self) } == text(1))
    #expect(try await reactor.storedState("demo", at: Cursor(epoch: epoch, version: 9)) == nil)
    #expect(stage.liveCount == 0)
  }
}

/// An observer that calls a closure at its first notification.
private final class ActivityReaction: ActivityObserver {
  private let reaction: Mutex<(@Sendable () throws -> Void)?>

  init(_ react: @escaping @Sendable () throws -> Void) {
    reaction = Mutex(react)
  }

  func activityDidChange(_ activity: SessionActivity) {
    try? reaction.withLock { $0.take() }?()
  }
}
