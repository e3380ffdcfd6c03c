import ReactorLog
import Testing

@testable import NATSLog

/// Milestones, and the deletion of the entries that they replace.
@Suite(.serialized) struct RetentionTests {
  private let key = SessionKey(reactor: "counter", id: "demo")

  private func store(_ retention: RetentionRules = RetentionRules()) throws -> TestStore {
    var store = try TestStore()
    store.settings.streams = 1
    store.settings.retention = retention
    (store.settings.cleaning.minimum, store.settings.cleaning.age) = (0, 0)
    (store.settings.cleaning.growth, store.settings.cleaning.interval) = (0, 3600)
    return store
  }

  /// Appends versions in batches of 64, with a snapshot of the State after each.
  private func fill(
    _ log: NATSLog, _ versions: ClosedRange<Int>, schema: String = "s"
  ) async throws {
    let session = log.session(key)
    for start in stride(from: versions.lowerBound, through: versions.upperBound, by: 64) {
      let last = min(start + 63, versions.upperBound)
      try await session.append(start...last)
      session.save(snapshot(last, schema), of: "one")
      // Wait for the snapshot: further ones are skipped while several are pending.
      log.drain()
    }
  }

  private func snapshot(_ version: Int, _ schema: String = "s") -> Snapshot {
    Snapshot(version: version, state: Array("{\"count\":\(version)}".utf8), schema: schema)
  }

  private func found(
    _ log: NATSLog, at version: Int, schema: String? = nil
  ) async throws -> Snapshot? {
    try await wait {
      log.session(key).snapshot(atOrBefore: version, of: schema, completion: $0)
    }
  }

  @Test func `an old version is folded from a milestone`() async throws {
    let log = try await store().open()
    defer { log.close() }
    try await fill(log, 1...12_800)
    #expect(try await found(log, at: 12_800) == snapshot(12_800))
    #expect(try await found(log, at: 12_799) == snapshot(12_736))
    for version in [2048, 4095, 4096, 5000, 9_999, 12_000] {
      let snapshot = try #require(try await found(log, at: version))
      #expect(snapshot == self.snapshot(snapshot.version))
      #expect(snapshot.version <= version)
      #expect(version - snapshot.version <= SnapshotRecord.milestoneInterval)
    }
    #expect(try await found(log, at: 2047) == nil)
    #expect(try await found(log, at: 12_800, schema: "other") == nil)
  }

  @Test func `entries that a milestone replaces are deleted, and the rest is right`()
    async throws
  {
    let store = try store(RetentionRules(.versions(3_000)))
    var log = try await store.open()
    try await fill(log, 1...10_000)
    // Without a schema that the reactor can decode nothing is deleted.
    _ = try await log.cleaner.clean(0)
    #expect(try await log.session(key).entries(after: 0, limit: 1).first?.version == 1)
    log.willFold("counter", schema: "s")
    #expect(try await log.cleaner.compact(key, before: .max))
    let first = try #require(try await log.session(key).entries(after: 0, limit: 1).first)
    #expect((2_049...7_001).contains(first.version))
    let base = first.version - 1
    #expect(try await found(log, at: base) == snapshot(base))
    #expect(try await found(log, at: base - 1) == nil)
    log.close()
    log = try await store.open()
    defer { log.close() }
    let loaded = try await log.session(key).load()
    #expect(loaded.snapshot == snapshot(10_000))
    // For another schema, the load returns a snapshot nevertheless, because the entries before it
    // are deleted; the host reports it as unreadable.
    let other: LoadedSession = try await wait { log.session(key).load(schema: "x", completion: $0) }
    #expect(other.snapshot != nil)
    var reached = base
    while reached < 10_000 {
      let page = try await log.session(key).entries(after: reached, limit: 1000)
      #expect(page == (reached + 1...reached + page.count).map { LogEntry(counted: $0) })
      reached += max(page.count, 1)
    }
    // The pages and snapshots before the base are gone.
    let milestones = try await log.store.snapshots(of: key).allMilestones()
    #expect(milestones.allSatisfy { $0.record.snapshot.version >= base })
    try await fork(log, base)
  }

  /// Forks the session whose entries up to a version are deleted.
  private func fork(_ log: NATSLog, _ base: Int) async throws {
    let target = SessionKey(reactor: "counter", id: "fork")
    try await wait {
      log.fork(
        key, at: Cursor(epoch: "one", version: base + 700), to: target, epoch: "f",
        parameters: nil, completion: $0)
    }
    try await log.session(key).end()
    try await log.session(target).append(base + 701...base + 701, to: "f")
    #expect(try await log.cleaner.compact(key, before: .max))
    #expect(try await log.cleaner.compact(target, before: .max))
    let loaded = try await log.session(target).load()
    #expect(loaded.snapshot == snapshot(base))
    #expect(loaded.entries.first == LogEntry(counted: base + 1))
    #expect(try await log.session(target).entries(after: 0, limit: 1).first?.version == base + 1)
  }

  @Test func `a displaced writer's snapshot does not hide the one that replaces entries`()
    async throws
  {
    let store = try store(RetentionRules(.versions(1_000)))
    let log = try await store.open()
    defer { log.close() }
    log.willFold("counter", schema: "s")
    try await fill(log, 1...6_400)
    #expect(try await log.cleaner.compact(key, before: .max))
    let first = try #require(try await log.session(key).entries(after: 0, limit: 1).first)
    #expect(first.version > 1)
    // The displaced writer saves its snapshot after an older chain.
    _ = try await log.store.snapshots(of: key).save(
      snapshot(64), of: "one", after: SnapshotRecord.Chain())
    let loaded = try await log.session(key).load()
    #expect(loaded.snapshot == snapshot(first.version - 1))
    #expect(loaded.entries.first == first)
  }
}
