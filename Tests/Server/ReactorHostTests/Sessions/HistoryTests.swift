import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Shares
import Testing

/// The states at earlier versions, snapshots and forks.
struct HistoryTests {
  private func state(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  /// A session with the states 1, 3, 6, 10 and so on.
  private func session(on stage: Stage, versions: Int) throws -> any Session {
    let session = try stage.session()
    for number in 1...versions { _ = try session.send(#"{"add":\#(number)}"#) }
    return session
  }

  @Test func `the state at a version is the fold up to it`() async throws {
    let session = try session(on: Stage(), versions: 4)
    for (version, value) in [0, 1, 3, 6, 10].enumerated() {
      let past = try await session.state(at: version)
      #expect(past.words == "\(version) \(state(value))")
      #expect(past.cursor.epoch == session.epoch)
    }
  }

  @Test(arguments: [5, Int.max, -1])
  func `the error for an unknown version names the oldest and the latest one`(version: Int)
    async throws
  {
    let session = try session(on: Stage(), versions: 4)
    await #expect(throws: HistoryError.unknownVersion(oldest: 0, latest: 4)) {
      try await session.state(at: version)
    }
  }

  @Test func `entries are returned in pages`() async throws {
    let session = try session(on: Stage(), versions: 5)
    #expect(try await session.entries(after: 0, limit: 2).map(\.version) == [1, 2])
    #expect(try await session.entries(after: 2, limit: 2).map(\.version) == [3, 4])
    #expect(try await session.entries(after: 4, limit: 2).map(\.version) == [5])
    #expect(try await session.entries(after: 5, limit: 2).isEmpty)
    #expect(try await session.entries(after: .max, limit: 2).isEmpty)
    #expect(try await session.entries(after: 0, limit: 0).isEmpty)
  }

  @Test func `a replay reads every state after a version`() async throws {
    let stage = Stage()
    let session = try session(on: stage, versions: 3)
    let whole = try await session.replay(after: nil)
    #expect(
      try await whole.next(limit: 3).map(\.words) == [
        "0 \(state(0))", "1 \(state(1))", "2 \(state(3))",
      ])
    #expect(try await whole.next(limit: 2).map(\.words) == ["3 \(state(6))"])
    #expect(try await whole.next(limit: 2).isEmpty)
    _ = try session.send(#"{"add":4}"#)
    #expect(try await whole.next(limit: 2).map(\.words) == ["4 \(state(10))"])

    let rest = try await session.replay(after: 2)
    #expect(try await rest.next(limit: 9).map(\.version) == [3, 4])
    #expect(try await session.replay(after: 4).next(limit: 9).isEmpty)
    await #expect(throws: HistoryError.unknownVersion(oldest: 0, latest: 4)) {
      try await session.replay(after: 5)
    }
  }

  @Test func `a replay returns few large States per call`() async throws {
    let stage = Stage()
    _ = try await stage.name.set(String(repeating: "x", count: 100_000))
    let session = try session(on: stage, versions: 20)
    let replay = try await session.replay(after: 1)
    #expect(try await replay.next(limit: 64).map(\.version) == [2, 3, 4])
    #expect(try await replay.next(limit: 64).map(\.version) == [5, 6, 7])
  }

  @Test func `a replay after the latest version reads and folds nothing`() async throws {
    let log = LogDouble(MemoryLog())
    let session = try session(on: Stage(over: log), versions: 4)
    let before = log.reads.values.count
    #expect(try await session.replay(after: 4).next(limit: 9).isEmpty)
    #expect(log.reads.values.count == before)
    #expect(try await session.replay(after: 3).next(limit: 9).map(\.version) == [4])
    #expect(log.reads.values.count > before)
  }

  // MARK: Retention

  @Test func `a version that retention removed is unknown`() async throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 10)) { $0.snapshotInterval = 5 }
    let session = try session(on: stage, versions: 32)
    // Ten versions are retained. The newest snapshot at or before version 22 is that of version 20,
    // so the log begins with version 21.
    #expect(try await session.entries(after: 0, limit: 100).map(\.version) == Array(21...32))
    #expect(try await session.state(at: 20).words == "20 \(state(210))")
    #expect(try await session.state(at: 25).words == "25 \(state(325))")
    // The state before the first mutation is known without the log.
    #expect(try await session.state(at: 0).words == "0 \(state(0))")
    for version in [1, 19] {
      await #expect(throws: HistoryError.unknownVersion(oldest: 20, latest: 32)) {
        try await session.state(at: version)
      }
    }
    for version in [nil, 0, 1, 19] {
      await #expect(throws: HistoryError.unknownVersion(oldest: 20, latest: 32)) {
        try await session.replay(after: version)
      }
    }
    #expect(try await session.replay(after: 20).next(limit: 1).map(\.version) == [21])
  }

  @Test func `a replay that retention overtakes throws an error`() async throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 5)) { $0.snapshotInterval = 5 }
    let session = try session(on: stage, versions: 4)
    let replay = try await session.replay(after: nil)
    #expect(try await replay.next(limit: 2).map(\.version) == [0, 1])
    for _ in 0..<20 { _ = try session.send(#"{"add":1}"#) }
    await #expect(throws: HistoryError.self) { try await replay.next(limit: 1) }
  }

  @Test func `a session is loaded from its snapshot`() throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 0)) { $0.snapshotInterval = 5 }
    _ = try session(on: stage, versions: 7)
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(try stage.session().shown == "7 \(state(28))")
  }

  @Test func `without entries, the snapshot's version is the oldest`() async throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 0)) { $0.snapshotInterval = 5 }
    let session = try session(on: stage, versions: 5)
    await #expect(throws: HistoryError.unknownVersion(oldest: 5, latest: 5)) {
      try await session.state(at: 2)
    }
  }

  @Test func `a session that is evicted often gets its snapshots`() async throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 0)) { $0.snapshotInterval = 5 }
    for _ in 0..<4 {
      for _ in 0..<3 { _ = try stage.session().send(#"{"add":1}"#) }
      try stage.sweep()
      #expect(stage.liveCount == 0)
    }
    let oldest = try await stage.session().entries(after: 0, limit: 100).first?.version ?? 0
    #expect(oldest > 5)
  }

  @Test func `a session that is never idle gets its snapshots`() throws {
    let log = MemoryLog()
    let stage = Stage(over: log) { $0.snapshotInterval = 4 }
    let session = try stage.session()
    stage.log.set(.held)
    _ = try session.send(#"{"add":1}"#)
    for _ in 0..<20 {
      // A batch is always pending when another one is committed.
      _ = try session.send(#"{"add":1}"#)
      stage.log.releaseOne()
    }
    let snapshot = try #require(try log.session(session.key).snapshot(atOrBefore: 20))
    #expect(snapshot.version > 10)
    #expect(
      String(decoding: snapshot.state, as: UTF8.self)
        == #"{"value":\#(snapshot.version),"name":null,"ratio":null}"#)
    stage.log.releaseAll()
  }

  @Test func `no snapshot contains mutations that the log rejected`() throws {
    let log = MemoryLog()
    let stage = Stage(over: log) { $0.snapshotInterval = 1 }
    let session = try stage.session()
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.failing(.full))
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.atOnce)
    let again = try stage.session()
    _ = try again.send(#"{"add":10}"#)
    let snapshot = try #require(try log.session(session.key).snapshot(atOrBefore: 9))
    #expect(snapshot.version == 2)
    #expect(String(decoding: snapshot.state, as: UTF8.self).hasPrefix(#"{"value":11,"#))
  }

  // MARK: Forks

  @Test func `a fork has the history up to a version and then its own`() async throws {
    let stage = Stage()
    let session = try session(on: stage, versions: 4)
    let fork = try stage.fork(at: 2, to: "copy").get()
    #expect(fork.wasCreated)
    #expect(fork.session.key == SessionKey(reactor: "sample", id: "copy"))
    #expect(fork.session.shown == "2 \(state(3))")
    #expect(fork.session.epoch != session.epoch)
    #expect(try fork.session.send(#"{"add":50}"#).values == ["committed 3 \(state(53))"])
    #expect(session.shown == "4 \(state(10))")
    #expect(
      try await fork.session.entries(after: 0, limit: 9).map(\.words) == [
        #"1 {"add":1} {"add":1}"#, #"2 {"add":2} {"add":2}"#, #"3 {"add":50} {"add":50}"#,
      ])
  }

  @Test func `a fork without a version begins at the current one`() throws {
    let stage = Stage()
    _ = try session(on: stage, versions: 3)
    #expect(try stage.fork(to: "copy").get().session.shown == "3 \(state(6))")
    try stage.sweep()
    #expect(try stage.session("copy").shown == "3 \(state(6))")
  }

  @Test func `a fork of a session that is in memory only is a new session`() throws {
    let stage = Stage()
    _ = try stage.session()
    let fork = try stage.fork(to: "copy").get()
    #expect(fork.wasCreated)
    #expect(fork.session.shown == "0 \(state(0))")
  }

  @Test func `a fork that fails returns the reason`() throws {
    let stage = Stage()
    _ = try session(on: stage, versions: 3)
    #expect(try stage.fork("unknown", to: "copy").failure == .unknown)
    #expect(
      try stage.fork(at: 4, to: "copy").failure
        == .history(.unknownVersion(oldest: 0, latest: 3)))
    _ = try stage.session("taken", for: .ensure)
    #expect(try stage.fork(to: "taken").failure == .exists)
    try stage.sweep()
    #expect(try stage.fork(to: "taken").failure == .exists)
    #expect(try stage.fork(to: "demo").failure == .exists)
    try stage.end()
    #expect(try stage.fork(to: "copy").failure == .ended)
  }

  @Test func `clients share the places of forks that are being copied`() throws {
    let ledger = Ledger()
    let stage = Stage { $0.ledger = ledger }
    _ = try session(on: stage, versions: 3)
    func fork(
      to id: String, by name: String
    ) throws -> Recorder<Result<OpenedSession, SessionError>> {
      let results = Recorder<Result<OpenedSession, SessionError>>()
      let reactor = try stage.reactor()
      Account.$current.withValue(ledger.account(of: .principal(name))) {
        results.add { try await reactor.fork("demo", at: 3, to: id) }
      }
      return results
    }
    stage.log.set(.held)
    let forks = try (0..<64).map { try fork(to: "greedy-\($0)", by: "greedy") }
    let rejected = forks.compactMap { $0.values.first }
    #expect(rejected.count == 32)
    #expect(
      rejected.allSatisfy {
        $0.failure == .log(.beyondShare(of: 64, bound: "forks that are being copied"))
      })
    let other = try fork(to: "other", by: "other")
    #expect(other.values.isEmpty)
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(try #require(other.values.first).get().wasCreated)
    #expect(ledger.used(.forks) == 0)
    #expect(try #require(fork(to: "next", by: "greedy").values.first).get().wasCreated)
  }

  @Test func `the reason of a fork beside a change of the other session is that change`()
    async throws
  {
    let base = MemoryLog()
    let stage = Stage(over: base)
    let source = base.session(try session(on: stage, versions: 3).key)
    func fork(to id: String, _ change: () async throws -> Void) async throws -> SessionError? {
      let results = Recorder<Result<OpenedSession, SessionError>>()
      stage.log.set(.held)
      let reactor = try stage.reactor()
      results.add { try await reactor.fork("demo", at: 3, to: id) }
      try await change()
      stage.log.set(.atOnce)
      stage.log.releaseAll()
      return try #require(results.values.first).failure
    }
    #expect(try await fork(to: "demo") {} == .exists)
    #expect(try await fork(to: "copy") { try await source.end() } == .ended)
    // The session in memory is that of the former history.
    #expect(
      try await fork(to: "copy") { try await source.create(epoch: "new", parameters: nil) }
        == .ended)
    // The new history has the version.
    let entries = (1...3).map {
      LogEntry(version: $0, at: .now, action: nil, mutation: Array(#"{"add":9}"#.utf8))
    }
    #expect(
      try await fork(to: "copy") {
        source.append(LogBatch(entries), to: "new", expecting: 0) { _ in }
      } == .ended)
    #expect(try base.session(SessionKey(reactor: "sample", id: "copy")).record() == .none)
  }

  /// A log of 3000 entries whose third page is read after a change.
  private func refold(
    _ log: MemoryLog, _ change: @escaping @Sendable (any SessionLog) -> Void
  ) throws -> RefoldReport {
    let stage = Stage(over: log)
    let session = log.session(SessionKey(reactor: "sample", id: "demo"))
    let entries = (1...3000).map {
      LogEntry(version: $0, at: .now, action: nil, mutation: Array(#"{"add":1}"#.utf8))
    }
    session.append(LogBatch(entries), to: "one", expecting: 0) { _ in }
    stage.log.beforeReads { if $0 == 2000 { change(session) } }
    return try stage.reactor().refold("demo")
  }

  @Test func `a session that ends during its verification is not damaged`() throws {
    let report = try refold(MemoryLog()) { session in
      begin {
        try await session.end()
        try await session.create(epoch: "two", parameters: nil)
      } completion: { result in
        #expect(throws: Never.self) { try result.get() }
      }
    }
    #expect(report == RefoldReport())
  }

  @Test func `a log that is shortened during its verification is verified again`() throws {
    let report = try refold(MemoryLog(retainedVersions: 10)) { session in
      let state = Array(#"{"value":2500,"name":null,"ratio":null}"#.utf8)
      session.save(Snapshot(version: 2500, state: state), of: "one")
    }
    #expect(report.findings == [])
    #expect(report.mutations == 500)
  }

  @Test func `a fork can replace a session that has ended`() throws {
    let stage = Stage()
    _ = try session(on: stage, versions: 3)
    _ = try stage.session("copy", for: .ensure)
    try stage.end("copy")
    #expect(try stage.fork(at: 1, to: "copy").get().session.shown == "1 \(state(1))")
  }
}
