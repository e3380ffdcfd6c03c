import LogTestSupport
import ReactorCore
import ReactorLog
import Testing

@testable import ReactorHost

/// A timer is committed in one batch with the mutations of the action that sets it, and its removal in
/// one batch with those of the action that it causes.
@Suite struct TimersTests {
  private let memory = MemoryLog()
  private let log: LogDouble
  private let host: Host

  init() {
    log = LogDouble(memory)
    host = Self.host(log)
  }

  private static func host(_ log: any MutationLog) -> Host {
    var settings = HostSettings()
    settings.timerLimit = 3
    return Host(
      [ReactorRegistration("timers", summary: "Timers") { TimerReactor() }], log: log,
      settings: settings)
  }

  private func session(in host: Host? = nil) throws -> LiveSession {
    try #require(try (host ?? self.host).open("timers", "demo") as? LiveSession)
  }

  private func arm(
    _ id: String, at time: Int64, every period: Int64? = nil, catchUp: Bool = false
  ) -> String {
    let every = period.map { "\($0)" } ?? "null"
    let at = WallTime(milliseconds: time)
    return #"{"arm":{"id":"\#(id)","at":"\#(at)","every":\#(every),"catchUp":\#(catchUp)}}"#
  }

  private var stored: [StoredTimer] {
    let timers = try? memory.session(SessionKey(reactor: "timers", id: "demo")).timers()
    return timers?.sorted { $0.id < $1.id } ?? []
  }

  private func fire(_ id: String, in session: LiveSession) async throws -> TimerSchedule.Outcome {
    let due = try memory.dueTimers(after: nil, until: Timestamp(milliseconds: .max), limit: 100)
    let timer = try #require(due.timers.first { $0.id == id })
    return await SessionTimers(session: session).fire(timer)
  }

  @Test func `a timer is stored in the batch of its turn, and the response waits for it`() throws {
    let session = try session()
    log.set(.held)
    let outcomes = try session.send(arm("a", at: 5000))
    #expect(outcomes.values.isEmpty && stored.isEmpty)
    #expect(log.releaseOne())
    #expect(outcomes.values.count == 1)
    #expect(!log.releaseOne())
    #expect(log.batches.values.count == 1)
    #expect(log.batches.values[0].entries.count == 1)
    let timer = StoredTimer(
      id: "a", due: Timestamp(milliseconds: 5000), action: Array(#"{"ring":"a"}"#.utf8))
    #expect(log.batches.values[0].timers == [StoredTimerChange(id: "a", timer: timer)])
    #expect(stored == [timer])
  }

  @Test func `the response to an action that only removes a timer waits for the commit`() throws {
    let session = try session()
    try session.send(arm("a", at: 5000))
    log.set(.held)
    let outcomes = try session.send(#"{"disarm":"a"}"#)
    #expect(outcomes.values.isEmpty)
    log.releaseAll()
    #expect(outcomes.values.count == 1)
    #expect(stored.isEmpty)
  }

  @Test func `a timer leaves the log in the batch of the mutations of its action`() async throws {
    let session = try session()
    try session.send(arm("a", at: 5000))
    #expect(try await fire("a", in: session) == .done)
    let batch = try #require(log.batches.values.last)
    #expect(
      batch.entries.map { String(decoding: $0.action ?? [], as: UTF8.self) } == [#"{"ring":"a"}"#])
    #expect(batch.timers == [StoredTimerChange(id: "a", timer: nil)])
    #expect(stored.isEmpty)
    #expect(String(decoding: session.current.json, as: UTF8.self) == #"{"armed":1,"rings":["a"]}"#)
  }

  @Test func `a timer with a time before 1970 is stored with that of 1970`() throws {
    let session = try session()
    try session.send(arm("a", at: -62_135_596_800_000))
    #expect(stored.map(\.due.milliseconds) == [0])
  }

  @Test func `a stored timer with the least time fires`() async throws {
    let first = try session()
    try first.send(arm("b", at: 9000))
    let timer = StoredTimer(
      id: "a", due: Timestamp(milliseconds: .min), action: Array(#"{"ring":"a"}"#.utf8))
    let results = Recorder<Bool>()
    memory.session(first.key).append(
      LogBatch(timers: [StoredTimerChange(id: "a", timer: timer)]), to: first.epoch, expecting: 1
    ) { if case .success = $0 { results.add(true) } }
    #expect(results.values == [true])
    let second = try session(in: Self.host(memory))
    #expect(try await fire("a", in: second) == .done)
    #expect(stored.map(\.id) == ["b"])
  }

  @Test func `a timer that an uncommitted action has removed is done with the commit`() async throws
  {
    let session = try session()
    try session.send(arm("a", at: 5000))
    log.set(.held)
    try session.send(#"{"disarm":"a"}"#)
    let due = try memory.dueTimers(after: nil, until: .now, limit: 1).timers[0]
    let outcomes = Recorder<TimerSchedule.Outcome>()
    let firing = Task.immediate { outcomes.add(await SessionTimers(session: session).fire(due)) }
    #expect(outcomes.values.isEmpty)
    log.releaseAll()
    await firing.value
    #expect(outcomes.values == [.done])
    #expect(session.current.version == 1)
  }

  @Test func `a timer whose removal fails is due again`() async throws {
    let session = try session()
    try session.send(arm("a", at: 5000))
    log.set(.held)
    try session.send(#"{"disarm":"a"}"#)
    let due = try memory.dueTimers(after: nil, until: .now, limit: 1).timers[0]
    let firing = Task.immediate { await SessionTimers(session: session).fire(due) }
    // Another writer appends first, so that the log rejects the batch.
    memory.session(session.key).append(
      LogBatch([LogEntry(version: 2, at: .now, action: nil, mutation: Array(#""didArm""#.utf8))]),
      to: session.epoch, expecting: 1
    ) { _ in }
    log.releaseAll()
    #expect(await firing.value == .failed)
  }

  @Test func `a timer that was read twice fires once`() async throws {
    let session = try session()
    try session.send(arm("a", at: 5000))
    let due = try memory.dueTimers(after: nil, until: .now, limit: 1).timers[0]
    log.set(.held)
    let firings = (0..<2).map { _ in
      Task.immediate { await SessionTimers(session: session).fire(due) }
    }
    log.releaseAll()
    for firing in firings { #expect(await firing.value == .done) }
    #expect(session.current.version == 2)
  }

  @Test func `a timer whose commit fails is due again, in a session that is loaded again`()
    async throws
  {
    let first = try session()
    try first.send(arm("a", at: 5000))
    log.set(.failing(.full))
    #expect(try await fire("a", in: first) == .failed)
    log.set(.atOnce)
    let second = try session()
    #expect(second !== first)
    #expect(try await fire("a", in: second) == .done)
    #expect(second.current.version == 2)
  }

  @Test func `a timer replaces that of its id, and one that was replaced does not fire`()
    async throws
  {
    let session = try session()
    try session.send(arm("a", at: 5000))
    let old = try memory.dueTimers(after: nil, until: .now, limit: 1).timers[0]
    try session.send(arm("a", at: 9000))
    #expect(stored.map(\.due.milliseconds) == [9000])
    #expect(await SessionTimers(session: session).fire(old) == .done)
    #expect(session.current.version == 2)
    #expect(stored.count == 1)
  }

  @Test func `a repeating timer has its next due time without drift`() async throws {
    let session = try session()
    let due = Timestamp.now.milliseconds - 10_500
    try session.send(arm("skip", at: due, every: 1000))
    try session.send(arm("all", at: due, every: 1000, catchUp: true))
    #expect(try await fire("skip", in: session) == .done)
    #expect(try await fire("all", in: session) == .done)
    #expect(stored[0].due.milliseconds == due + 1000)
    #expect((stored[1].due.milliseconds - due) % 1000 == 0)
    #expect(stored[1].due.milliseconds - due >= 11_000)
  }

  @Test func `an error of the action does not keep the timer`() async throws {
    let session = try session()
    try session.send(arm("fail", at: 5000))
    #expect(try await fire("fail", in: session) == .done)
    #expect(stored.isEmpty)
    #expect(session.current.version == 2)
  }

  @Test func `timers are listed as they are due, and can be cancelled`() async throws {
    let session = try session()
    for (id, time) in [("a", 9000), ("b", 5000), ("c", 7000)] {
      try session.send(arm(id, at: Int64(time)))
    }
    #expect(try await session.timers(after: nil, limit: 10).map(\.id) == ["b", "c", "a"])
    try await session.cancelTimer("c")
    try await session.cancelTimer("unknown")
    #expect(try await session.timers(after: nil, limit: 10).map(\.id) == ["b", "a"])
    #expect(stored.map(\.id) == ["a", "b"])
  }

  @Test func `a page of timers begins after a position, also after that of a timer that is gone`()
    async throws
  {
    let session = try session()
    for (id, time) in [("a", 7000), ("b", 5000), ("c", 7000)] {
      try session.send(arm(id, at: Int64(time)))
    }
    func page(after id: String, at due: Int64, limit: Int) async throws -> [String] {
      let position = TimerPosition(due: Timestamp(milliseconds: due), history: 0, id: id)
      return try await session.timers(after: position, limit: limit).map(\.id)
    }
    #expect(try await page(after: "b", at: 5000, limit: 1) == ["a"])
    #expect(try await page(after: "a", at: 7000, limit: 10) == ["c"])
    #expect(try await page(after: "gone", at: 6000, limit: 10) == ["a", "c"])
    #expect(try await page(after: "c", at: 7000, limit: 10) == [])
  }

  @Test func `a session has a maximum number of timers`() throws {
    let session = try session()
    for id in ["a", "b", "c", "a"] { try session.send(arm(id, at: 9000)) }
    #expect(try session.send(arm("d", at: 9000)).values.first?.hasPrefix("failed") == true)
    try session.send(#"{"disarm":"a"}"#)
    #expect(try session.send(arm("d", at: 9000)).values.first?.hasPrefix("committed") == true)
  }

  @Test(arguments: ["", "a b", "ä", String(repeating: "a", count: 129)])
  func `an unusable id fails the action`(_ id: String) throws {
    let session = try session()
    #expect(try session.send(arm(id, at: 9000)).values.first?.hasPrefix("failed") == true)
    #expect(stored.isEmpty)
  }

  @Test func `a timer after the year 9999, or with a period of zero, fails its action`() throws {
    let session = try session()
    let late = #"{"arm":{"id":"a","at":"9999-12-31T23:59:59.999Z","every":null,"catchUp":false}}"#
    #expect(try session.send(late).values.first?.hasPrefix("committed") == true)
    #expect(TimerError.time.status == 422)
    #expect(
      try session.send(arm("b", at: 9000, every: 0)).values.first?.hasPrefix("failed") == true)
    #expect(stored.map(\.id) == ["a"])
  }

  @Test func `the end of a session removes its timers`() async throws {
    let session = try session()
    try session.send(arm("a", at: 5000))
    try await host.reactor("timers")?.endSession("demo")
    #expect(try memory.dueTimers(after: nil, until: .now, limit: 9) == .none)
  }

  @Test func `the service fires timers of sessions that are not in memory, the oldest first`()
    async throws
  {
    let session = try session()
    for (id, time) in [("a", 9000), ("b", 5000), ("c", 7000)] {
      try session.send(arm(id, at: Int64(time)))
    }
    let restarted = Self.host(memory)
    let firing = Task { await restarted.fireTimers() }
    defer { firing.cancel() }
    let loaded = try self.session(in: restarted)
    var versions = AsyncVersions(of: loaded).makeAsyncIterator()
    while let version = await versions.next(), version < 6 {}
    #expect(
      String(decoding: loaded.current.json, as: UTF8.self)
        == #"{"armed":3,"rings":["b","c","a"]}"#)
    #expect(try memory.timerCount() == 0)
  }

  @Test func `the service fires a timer that is scheduled while it runs`() async throws {
    let firing = Task { await host.fireTimers() }
    defer { firing.cancel() }
    let session = try session()
    var versions = AsyncVersions(of: session).makeAsyncIterator()
    for round in 1...3 {
      try session.send(arm("a", at: Timestamp.now.milliseconds + 5))
      while let version = await versions.next(), version < 2 * round {}
    }
    #expect(session.current.version == 6)
  }
}

/// The committed versions of a session, the current one first.
private struct AsyncVersions: AsyncSequence {
  private final class Observer: SessionObserver {
    let continuation: AsyncStream<Int>.Continuation

    init(_ continuation: AsyncStream<Int>.Continuation) {
      self.continuation = continuation
    }

    func sessionDidCommit(_ state: CommittedState) { continuation.yield(state.version) }

    func sessionDidEnd(_ end: SessionEnd) { continuation.finish() }
  }

  private let stream: AsyncStream<Int>

  init(of session: LiveSession) {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    self.stream = stream
    if let base = session.observe(Observer(continuation)) { continuation.yield(base.version) }
  }

  func makeAsyncIterator() -> AsyncStream<Int>.Iterator { stream.makeAsyncIterator() }
}
