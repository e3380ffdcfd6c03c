import LogTestSupport
import ReactorLog
import TestSupport
import Testing

/// Reading, in every log: snapshots, forks, lists, retention.
@Suite(.serialized) struct ReadingTests {
  @Test(arguments: LogKind.allCases)
  func `the latest snapshot at or before a version is found`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...100, to: "one")
    for version in [10, 50] {
      session.save(Snapshot(version: version, state: Array("\(version)".utf8)), of: "one")
    }
    try await log.log.drain()
    #expect(try session.snapshot(atOrBefore: 9) == nil)
    #expect(try session.snapshot(atOrBefore: 10)?.version == 10)
    #expect(try session.snapshot(atOrBefore: 49)?.version == 10)
    #expect(
      try session.snapshot(atOrBefore: 100) == Snapshot(version: 50, state: Array("50".utf8)))
  }

  @Test(arguments: LogKind.allCases)
  func `a snapshot of another history or of the future is ignored`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...10, to: "one")
    session.save(Snapshot(version: 5, state: []), of: "two")
    session.save(Snapshot(version: 11, state: []), of: "one")
    try await log.log.drain()
    #expect(try session.snapshot(atOrBefore: 100) == nil)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork has the history up to its version`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...10, to: "one")
    session.save(Snapshot(version: 4, state: Array("4".utf8)), of: "one")
    session.save(Snapshot(version: 8, state: Array("8".utf8)), of: "one")
    try await log.log.fork("demo", at: 6, to: "other", epoch: "two")
    let fork = log.session("other")
    #expect(try fork.stored?.epoch == "two")
    #expect(try fork.stored?.version == 6)
    #expect(try fork.entries(after: 0, limit: 100) == (1...6).map { LogEntry(counted: $0) })
    // The thread that thins out the snapshots of the source can do it before the fork.
    let isThinned = kind == .postgres || kind == .spread
    let snapshot = try fork.snapshot(atOrBefore: 100)?.version
    #expect(snapshot == 4 || isThinned && snapshot == nil)
    try await fork.append(7...7, to: "two")
    #expect(try session.stored?.version == 10)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork of a long history is complete`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    for first in stride(from: 1, to: 3000, by: 1000) {
      let entries = (first..<first + 1000).map { version in
        let global = LogEntry.GlobalMark(
          name: version % 2 == 0 ? "even" : "odd", revision: UInt64(version))
        return LogEntry(counted: version, global: version % 1100 < 2 ? global : nil)
      }
      try await session.append(entries, to: "one", expecting: first - 1)
      for version in stride(from: first + 19, to: first + 1000, by: 20) {
        session.save(Snapshot(version: version, state: Array("\(version)".utf8)), of: "one")
      }
    }
    try await log.log.fork("demo", at: 2950, to: "other", epoch: "two")
    let fork = log.session("other")
    #expect(try fork.stored?.version == 2950)
    #expect(try fork.stored?.globals == session.stored?.globals)
    #expect(
      try fork.entries(after: 0, limit: 4000) == session.entries(after: 0, limit: 2950))
    for version in [19, 20, 1000, 1999, 2950] {
      let snapshot = try fork.snapshot(atOrBefore: version)
      // The thread that thins out the snapshots of the source can do it after the fork.
      guard kind != .postgres, kind != .spread else {
        #expect(snapshot.map { $0.state == Array("\($0.version)".utf8) } ?? (version < 20))
        continue
      }
      #expect(try snapshot == session.snapshot(atOrBefore: version))
    }
    try await fork.append(2951...2951, to: "two")
    #expect(try fork.stored?.version == 2951)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork replaces an ended session, but not an open one`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    try await log.session().append(1...3, to: "one")
    try await log.session("other").append(1...1, to: "two")
    await #expect(throws: LogError.conflict) {
      try await log.log.fork("demo", at: 3, to: "other", epoch: "three")
    }
    #expect(try log.session("other").stored?.epoch == "two")
    try await log.session("other").end()
    try await log.log.fork("demo", at: 3, to: "other", epoch: "three")
    #expect(try log.session("other").stored?.version == 3)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork of a session that was never stored has no mutations`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    try await log.log.fork("demo", at: 0, to: "other", epoch: "two")
    #expect(try log.session("other").stored?.version == 0)
  }

  @Test(arguments: LogKind.allCases)
  func `a fork of a version that a session does not have, or of an ended one, is rejected`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    func expectConflict(_ source: String, at version: Int) async {
      await #expect(throws: LogError.conflict) {
        try await log.log.fork(source, at: version, to: "other", epoch: "two")
      }
    }
    await expectConflict("demo", at: 4)
    await expectConflict("nothing", at: 1)
    try await session.end()
    await expectConflict("demo", at: 3)
    await expectConflict("demo", at: 0)
    try await session.create(epoch: "three")
    await expectConflict("demo", at: 3)
    #expect(try log.session("other").record() == .none)
    #expect(try log.log.sessions(of: "counter", after: nil, limit: 9).map(\.id) == ["demo"])
  }

  @Test(arguments: LogKind.allCases)
  func `a fork of a history that was replaced is rejected, although the new one has the version`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    try await session.end()
    try await session.create(epoch: "two")
    try await session.append(1...5, to: "two")
    for version in [0, 3] {
      await #expect(throws: LogError.conflict) {
        try await log.log.fork("demo", at: version, of: "one", to: "other", epoch: "three")
      }
    }
    #expect(try log.session("other").record() == .none)
    try await log.log.fork("demo", at: 3, of: "two", to: "other", epoch: "three")
    #expect(try log.session("other").stored?.version == 3)
  }

  @Test(arguments: LogKind.ofOneStore)
  func `a fork of a shortened log has the globals of its State`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind, retained: 30)
    let session = log.session()
    let names = [1: "early", 2: "late", 80: "recent", 95: "late"]
    for start in stride(from: 1, through: 91, by: 10) {
      let entries = (start..<start + 10).map { version in
        LogEntry(
          counted: version,
          global: names[version].map { .init(name: $0, revision: UInt64(version)) })
      }
      try await session.append(entries, to: "one", expecting: start - 1)
      session.save(Snapshot(version: start + 9, state: Array("1".utf8)), of: "one")
    }
    for _ in 0..<20 { try await log.log.drain() }
    try await wait(until: { try session.snapshot(atOrBefore: 69) == nil })
    #expect(try session.entries(after: 0, limit: 1000).first?.version == 71)
    try await log.log.fork("demo", at: 100, to: "all", epoch: "two")
    #expect(try log.session("all").stored?.globals == ["early": 1, "recent": 80, "late": 95])
    try await log.log.fork("demo", at: 90, to: "part", epoch: "three")
    #expect(try log.session("part").stored?.globals == ["early": 1, "recent": 80])
    try await log.log.fork("demo", at: 70, to: "base", epoch: "four")
    #expect(try log.session("base").stored?.globals == ["early": 1])
    await #expect(throws: LogError.conflict) {
      try await log.log.fork("demo", at: 69, to: "before", epoch: "five")
    }
    await #expect(throws: LogError.conflict) {
      try await log.log.fork(
        "demo", at: 100, to: "before", epoch: "five", parameters: Array("{}".utf8))
    }
  }

  @Test(arguments: LogKind.allCases)
  func `sessions are listed by id, in pages`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    for id in ["b", "A", "a", "c", "_"] { try await log.session(id).append(1...2, to: id + "e") }
    try await log.session("c").end()
    try await log.log.session(SessionKey(reactor: "other", id: "aa")).create(epoch: "x")
    let all = try log.log.sessions(of: "counter", after: nil, limit: 10)
    #expect(all.map(\.id) == ["A", "_", "a", "b"])
    #expect(all.first?.cursor == Cursor(epoch: "Ae", version: 2))
    #expect(all.first?.lastActiveAt == LogEntry(counted: 2).at)
    #expect(try log.log.sessions(of: "counter", after: "A", limit: 2).map(\.id) == ["_", "a"])
    #expect(try log.log.sessions(of: "nothing", after: nil, limit: 2) == [])
  }

  @Test(arguments: LogKind.allCases)
  func `retention deletes entries that a snapshot replaces, and retains at least its number`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind, retained: 30)
    let session = log.session()
    for start in stride(from: 1, through: 91, by: 10) {
      try await session.append(start...start + 9, to: "one")
      session.save(
        Snapshot(version: start + 9, state: Array("\(start + 9)".utf8)), of: "one")
    }
    // The next commits delete the entries.
    for _ in 0..<20 { try await log.log.drain() }
    try await wait(until: { try session.snapshot(atOrBefore: 69) == nil })
    #expect(try session.entries(after: 0, limit: 1000).map(\.version) == Array(71...100))
    #expect(try session.snapshot(atOrBefore: 70)?.version == 70)
    #expect(try session.snapshot(atOrBefore: 69) == nil)
    #expect(try session.stored?.version == 100)
    try await session.append(101...101, to: "one")
  }
}
