import LogTestSupport
import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// The timers of every log.
@Suite(.serialized) struct TimerTests {
  private func timer(_ id: String, due: Int64, period: Int64? = nil) -> StoredTimer {
    StoredTimer(
      id: id, due: Timestamp(milliseconds: due), action: Array(#"{"ring":"ä"}"#.utf8),
      period: period, catchesUp: period != nil)
  }

  private func batch(_ timers: StoredTimer..., removing ids: String...) -> LogBatch {
    LogBatch(
      timers: timers.map { StoredTimerChange(id: $0.id, timer: $0) }
        + ids.map { StoredTimerChange(id: $0, timer: nil) })
  }

  private func due(
    _ log: any MutationLog, after position: TimerPosition? = nil, until time: Int64,
    limit: Int = 100
  ) throws -> DueTimers {
    try log.dueTimers(after: position, until: Timestamp(milliseconds: time), limit: limit)
  }

  @Test(arguments: LogKind.allCases)
  func `a timer is stored, replaced and removed with a batch`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    #expect(try session.timers() == [])
    let first = timer("a", due: 100, period: 60)
    try await session.append(batch(first), to: "one", expecting: 0)
    #expect(try session.timers() == [first])
    #expect(try session.stored?.hasTimers == true)
    #expect(try session.stored?.version == 0)
    let second = timer("a", due: 200)
    try await session.append(batch(second), to: "one", expecting: 0)
    #expect(try session.timers() == [second])
    #expect(try log.log.timerCount() == 1)
    #expect(try due(log.log, until: 150) == DueTimers([], next: second.due))
    try await session.append(batch(removing: "a", "unknown"), to: "one", expecting: 0)
    #expect(try session.timers() == [])
    #expect(try session.stored?.hasTimers == false)
    #expect(try log.log.timerCount() == 0)
    #expect(try due(log.log, until: .max) == .none)
  }

  @Test(arguments: LogKind.allCases)
  func `a batch of another version changes no timer`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(batch(timer("a", due: 100)), to: "one", expecting: 0)
    await #expect(throws: LogError.conflict) {
      try await session.append(batch(removing: "a"), to: "one", expecting: 1)
    }
    await #expect(throws: LogError.conflict) {
      try await session.append(batch(removing: "a"), to: "two", expecting: 0)
    }
    #expect(try session.timers().count == 1)
  }

  @Test(arguments: LogKind.allCases)
  func `due timers are read in order and page by page`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    for (id, time) in [("x", 300), ("y", 100), ("z", 200)] as [(String, Int64)] {
      try await log.session(id).append(
        batch(timer("a", due: time), timer("b", due: time), timer("c", due: time + 1000)),
        to: "one", expecting: 0)
    }
    var position: TimerPosition?
    var found: [String] = []
    while true {
      let page = try due(log.log, after: position, until: 300, limit: 2)
      found += page.timers.map { "\($0.key.id)\($0.id)" }
      guard let last = page.timers.last else {
        #expect(page.next == Timestamp(milliseconds: 1100))
        break
      }
      #expect(page.next == nil)
      position = last.position
    }
    #expect(found == ["ya", "yb", "za", "zb", "xa", "xb"])
    let late = TimerPosition(before: Timestamp(milliseconds: 300))
    #expect(try due(log.log, after: late, until: 300).timers.map(\.key.id) == ["x", "x"])
  }

  @Test(arguments: LogKind.allCases)
  func `the end of a session removes its timers, and a fork has none`(_ kind: LogKind) async throws
  {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...1, to: "one")
    try await session.append(batch(timer("a", due: 100)), to: "one", expecting: 1)
    try await log.log.fork("demo", at: 1, to: "fork", epoch: "fork")
    #expect(try log.session("fork").timers() == [])
    try await session.end()
    #expect(try session.timers() == [])
    #expect(try log.log.timerCount() == 0)
    try await session.create(epoch: "two")
    #expect(try session.timers() == [])
  }

  @Test(arguments: LogKind.allCases)
  func `the order holds over many timers that are replaced and removed`(_ kind: LogKind)
    async throws
  {
    let log = try LogUnderTest(kind)
    var expected: [String: Int64] = [:]
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    for _ in 0..<4 {
      var changes: [String: StoredTimerChange] = [:]
      for _ in 0..<2000 {
        let id = "\(random(1500))"
        let time = random(4) == 0 ? nil : Int64(random(100_000))
        changes[id] = StoredTimerChange(id: id, timer: time.map { timer(id, due: $0) })
        expected[id] = time
      }
      try await log.session().append(
        LogBatch(timers: Array(changes.values)), to: "one", expecting: 0)
    }
    let sorted = expected.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    let found = try due(log.log, until: .max, limit: 10_000).timers
    #expect(found.map(\.id) == sorted.map(\.key))
    #expect(found.map(\.position.due.milliseconds) == sorted.map(\.value))
    #expect(try log.log.timerCount() == sorted.count)
  }

  @Test func `reading due timers does not visit the others`() async throws {
    let folder = try TemporaryFolder()
    let log = try SQLiteLog(path: folder["log.db"])
    defer { log.close() }
    let plan = try Shell.sqlite(
      folder["log.db"],
      """
      EXPLAIN QUERY PLAN
      SELECT reactor, sessions.session, due, timers.session, timers.id
      FROM timers INDEXED BY timers_by_due CROSS JOIN sessions ON sessions.id = timers.session
      WHERE (due, timers.session, timers.id) > (1, 2, 'x') AND due <= 3 AND ended = 0
      ORDER BY due, timers.session, timers.id LIMIT 5
      """)
    #expect(plan.contains("INDEX timers_by_due ((due,session,id)>"), "\(plan)")
    #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
  }

  @Test func `timers survive an export and an import`() async throws {
    let folder = try TemporaryFolder()
    let timers = [timer("a", due: 100), timer("b", due: 200, period: 60)]
    do {
      let log = try SQLiteLog(path: folder["log.db"])
      let session = log.session(SessionKey(reactor: "counter", id: "demo"))
      try await session.append(batch(timers[0], timers[1]), to: "one", expecting: 0)
      #expect(log.close())
    }
    var lines: [[UInt8]] = []
    try SQLiteMaintenance(path: folder["log.db"]).export { lines.append($0) }
    var rest = lines[...]
    _ = try SQLiteMaintenance(path: folder["copy.db"]).import { rest.popFirst() }
    let copy = try SQLiteLog(path: folder["copy.db"])
    let session = copy.session(SessionKey(reactor: "counter", id: "demo"))
    #expect(try session.timers().sorted { $0.id < $1.id } == timers)
    #expect(copy.close())
    #expect(try SQLiteMaintenance(path: folder["copy.db"]).check() == [])
  }
}
