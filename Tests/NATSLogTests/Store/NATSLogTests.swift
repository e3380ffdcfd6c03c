import Brokers
import NATSClient
import ReactorLog
import Telemetry
import Testing

@testable import NATSLog

/// A store on one broker.
///
/// The behaviour of every log is in SQLiteLogTests.
@Suite(.serialized) struct NATSLogTests {
  @Test func `a session outlives the process, and is loaded from its last message`() async throws {
    let store = try TestStore()
    var log = try await store.open()
    for version in 1...300 { try await log.counter().append(version...version) }
    log.close()
    log = try await store.open()
    defer { log.close() }
    let loaded = try await log.counter().load()
    guard case .stored(let stored) = loaded.record else {
      Issue.record("the session is not stored")
      return
    }
    #expect(stored.version == 300)
    #expect(loaded.lastWriter?.name == "n1")
    // At most one page of entries, if the first versions are already in pages.
    var entries = loaded.entries
    while let last = entries.last?.version, last < 300 {
      entries += try await log.counter().entries(after: last, limit: 300)
    }
    #expect(entries == (1...300).map { LogEntry(counted: $0) })
    let middle = try await log.counter().entries(after: 147, limit: 3)
    #expect(middle == (148...150).map { LogEntry(counted: $0) })
    try await log.counter().append(301...301)
  }

  @Test func `of two writers the one that has read the older end is rejected`() async throws {
    let store = try TestStore()
    let (one, two) = (try await store.open(), try await store.open())
    defer { _ = (one.close(), two.close()) }
    let (first, second) = (one.counter(), two.counter())
    try await first.append(1...1)
    _ = try await second.load()
    // The first writer appends without changing the version: only the fence can detect it.
    let outcome = StoredOutcome(
      key: IdempotencyKey("k", for: []), at: .now, version: 1, failure: nil)
    try await first.append(LogBatch(outcomes: [outcome]), to: "one", expecting: 1)
    let error = await #expect(throws: LogError.self) { try await second.append(2...2) }
    #expect(error == .lost(to: NodeID(one.store.engine.writer)))
    #expect(try await second.outcome(of: "k") == outcome)
    _ = try await second.load()
    try await second.append(2...2)
    await #expect(throws: LogError.self) { try await first.append(2...2) }
    #expect(two.store.engine.counters.lost.value == 1)
  }

  /// A load during a write does not replace the end of the log that lookups use.
  ///
  /// So a lookup can miss another writer's outcome, and the append must be rejected.
  @Test func `a batch whose keys were looked up before another writer's message is rejected`()
    async throws
  {
    let store = try TestStore()
    let (one, two) = (try await store.open(), try await store.open())
    defer { _ = (one.close(), two.close()) }
    let (first, second) = (one.counter(), two.counter())
    try await first.append(1...1)
    _ = try await second.load()
    try await first.append(keyed: 2)
    #expect(try await second.outcome(of: "2") == nil)
    var batch = LogBatch([LogEntry(counted: 3)])
    let key = IdempotencyKey("2", for: [])
    batch.outcomes = [StoredOutcome(key: key, at: .now, version: 3, failure: nil)]
    let error = await #expect(throws: LogError.self) {
      try await second.append(batch, to: "one", expecting: 2)
    }
    #expect(error == .lost(to: NodeID(one.store.engine.writer)))
    #expect(try await second.load().entries.count == 2)
    #expect(try await second.outcome(of: "2")?.version == 2)
    try await second.append(3...3)
  }

  @Test func `outcomes of keys are found after a load`() async throws {
    let store = try TestStore()
    var log = try await store.open()
    let session = log.counter()
    for version in 1...40 {
      var batch = LogBatch([LogEntry(counted: version)])
      if version.isMultiple(of: 7) {
        let key = IdempotencyKey("\(version)", for: [])
        batch.outcomes = [StoredOutcome(key: key, at: .now, version: version, failure: nil)]
      }
      try await session.append(batch, to: "one", expecting: version - 1)
    }
    log.close()
    log = try await store.open()
    defer { log.close() }
    let again = log.counter()
    _ = try await again.load()
    #expect(try await again.outcome(of: "7")?.version == 7)
    #expect(try await again.outcome(of: "35")?.version == 35)
    #expect(try await again.outcome(of: "8") == nil)
  }

  @Test func `a new request number needs no read of the history after a load`() async throws {
    let store = try TestStore()
    var log = try await store.open()
    for version in 1...40 {
      var batch = LogBatch([LogEntry(counted: version)])
      let key = IdempotencyKey(numbered: UInt64(version), of: "n2.77aa")
      batch.outcomes = [StoredOutcome(key: key, at: .now, version: version, failure: nil)]
      try await log.counter().append(batch, to: "one", expecting: version - 1)
    }
    log.close()
    log = try await store.open()
    defer { log.close() }
    let session = try #require(log.counter() as? NATSSessionLog)
    _ = try await session.load()
    func name(_ number: UInt64) -> String { IdempotencyKey(numbered: number, of: "n2.77aa").name }
    #expect(session.knownOutcome(of: name(41)) == .some(nil))
    #expect(session.knownOutcome(of: name(40)) == nil)
    // A later delivery may be committed before an earlier one.
    var batch = LogBatch([LogEntry(counted: 41)])
    let key = IdempotencyKey(numbered: 50, of: "n2.77aa")
    batch.outcomes = [StoredOutcome(key: key, at: .now, version: 41, failure: nil)]
    try await session.append(batch, to: "one", expecting: 40)
    #expect(session.knownOutcome(of: name(45)) == .some(nil))
    #expect(session.knownOutcome(of: name(50))??.version == 41)
    #expect(try await session.outcome(of: name(7))?.version == 7)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a new key of a client needs one message per block after a load`() async throws {
    let store = try TestStore()
    var log = try await store.open()
    for version in 1...250 { try await log.counter().append(keyed: version) }
    log.close()
    log = try await store.open()
    defer { log.close() }
    let session = try #require(log.counter() as? NATSSessionLog)
    _ = try await session.load()
    let requests = try RequestedMessages(of: session, on: store)
    // Lookups at the same time share the reads.
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 1...8 {
        group.addTask { try await session.outcome(of: "new \(number)")?.version }
      }
      for try await version in group { #expect(version == nil) }
    }
    // 15 complete blocks; those of the last messages are in the end of the log.
    #expect(try await requests.sequences(atLeast: 15) == Set((1...15).map { 16 * $0 }))
    #expect(session.knownOutcome(of: "another") == .some(nil))
    #expect(session.knownOutcome(of: "17") == nil)
    #expect(session.knownOutcome(of: "250") == nil)
    // The latest outcomes are read first: a node that repeats requests after the failure of another
    // node needs them.
    #expect(try await session.outcome(of: "250")?.version == 250)
    #expect(session.knownOutcome(of: "17") == nil)
    #expect(try await requests.sequences(atLeast: 15 + OutcomeSearch.firstStep).count < 32)
    #expect(try await session.outcome(of: "17")?.version == 17)
    #expect(try await session.outcome(of: "1")?.version == 1)
    #expect(try await requests.sequences(atLeast: 250).count == 250)
  }

  @Test func `sessions with unfinished actions and timers are found after a restart`() async throws
  {
    let store = try TestStore()
    var log = try await store.open()
    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array("1".utf8), isInArray: false, key: nil,
      at: Timestamp(milliseconds: 1))
    let timer = StoredTimer(id: "t", due: Timestamp(milliseconds: 50), action: Array("1".utf8))
    try await log.counter("b.1").append(
      LogBatch(accepted: [action]), to: "one", expecting: 0)
    try await log.counter("a").append(
      LogBatch(
        accepted: [action], timers: [StoredTimerChange(id: "t", timer: timer)]),
      to: "one", expecting: 0)
    try await log.counter("c").append(1...1)
    log.close()
    log = try await store.open()
    defer { log.close() }
    func unfinished(_ key: SessionKey?) async throws -> [String] {
      try await wait { log.unfinishedSessions(after: key, limit: 9, completion: $0) }.map(\.id)
    }
    #expect(try await unfinished(nil) == ["a", "b.1"])
    #expect(try await unfinished(SessionKey(reactor: "counter", id: "a")) == ["b.1"])
    let due = try await wait {
      log.dueTimers(
        after: nil, until: Timestamp(milliseconds: 60), limit: 9, completion: $0)
    }
    #expect(due.timers.map(\.key.id) == ["a"])
    #expect(try await log.counter("a").load().timers == [timer])
    try await log.counter("a").append(
      LogBatch(finished: [action.id]), to: "one", expecting: 0)
    #expect(try await unfinished(nil) == ["b.1"])
  }

  @Test func `while the broker is away nothing is lost, and the log recovers by itself`()
    async throws
  {
    let broker = try Broker()
    var store = try TestStore(broker.url)
    store.settings.wait = .seconds(600)
    let log = try await store.open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...1)
    broker.kill()
    async let second: Void = session.append(2...2)
    while log.failure == nil { try await Task.sleep(for: .milliseconds(5)) }
    try broker.start()
    try await second
    #expect(log.failure == nil)
    #expect(try await session.load().entries == (1...2).map { LogEntry(counted: $0) })
  }

  @Test func `an append that cannot be confirmed fails after cluster.wait, and changes nothing`()
    async throws
  {
    let broker = try Broker()
    var store = try TestStore(broker.url)
    store.settings.wait = .seconds(1)
    let log = try await store.open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...1)
    broker.stop()
    while log.failure == nil { try await Task.sleep(for: .milliseconds(5)) }
    let error = await #expect(throws: LogError.self) { try await session.append(2...2) }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try broker.start()
    while log.failure != nil { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try await session.load().entries.count == 1)
    try await session.append(2...2)
  }

  @Test func `an append to a paused broker has an unknown outcome, which a load resolves`()
    async throws
  {
    let broker = try Broker()
    var store = try TestStore(broker.url)
    store.settings.wait = .milliseconds(300)
    let log = try await store.open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...1)
    broker.pause()
    let error = await #expect(throws: LogError.self) { try await session.append(2...2) }
    #expect(error == .unknown)
    broker.resume()
    while log.failure != nil { try await Task.sleep(for: .milliseconds(20)) }
    var loaded: LoadedSession?
    while loaded == nil { loaded = try? await session.load() }
    let entries = loaded?.entries ?? []
    #expect(entries == (1...entries.count).map { LogEntry(counted: $0) })
    let next = entries.count + 1
    try await session.append(next...next)
  }

  @Test func `a batch that is larger than the brokers accept changes nothing`() async throws {
    let broker = try Broker("max_payload: 4096")
    let log = try await TestStore(broker.url).open()
    defer { log.close() }
    let session = log.counter()
    try await session.append(1...1)
    let large = LogEntry(
      version: 2, at: .now, action: nil, mutation: [UInt8](repeating: 0x31, count: 5000))
    await #expect(throws: LogError.tooLarge) {
      try await session.append(LogBatch([large]), to: "one", expecting: 1)
    }
    _ = try await session.load()
    try await session.append(2...2)
  }

  @Test func `a session whose journal is full is loaded and compacted, and finishes its actions`()
    async throws
  {
    let broker = try Broker("max_payload: 65536")
    let store = try TestStore(broker.url)
    var log = try await store.open()
    func batch(_ request: Int) -> LogBatch {
      LogBatch(accepted: [
        AcceptedAction(
          id: .init(request: request, place: 0), action: [UInt8](repeating: 0x31, count: 2000),
          isInArray: false, key: nil, at: .now)
      ])
    }
    var count = 0
    let error = await #expect(throws: LogError.self) {
      while count < 100 {
        try await log.counter().append(batch(count + 1), to: "one", expecting: 0)
        count += 1
      }
    }
    #expect(error == .tooLarge)
    #expect(count > 10)
    log.close()
    log = try await store.open()
    defer { log.close() }
    let key = SessionKey(reactor: "counter", id: "demo")
    #expect(try await log.counter().load().acceptedActions.count == count)
    #expect(try await log.cleaner.compact(key, before: .max))
    // Messages with an entry of half of the bound beside the journal.
    for version in 1...count {
      let entry = LogEntry(
        version: version, at: .now, action: nil, mutation: [UInt8](repeating: 0x31, count: 40_000))
      try await log.session(key).append(
        LogBatch([entry], finished: [.init(request: version, place: 0)]), to: "one",
        expecting: version - 1)
    }
    #expect(try await log.counter().load().acceptedActions == [])
    try await log.counter().append(batch(99), to: "one", expecting: count)
  }

  @Test func `globals outlive the process, and a value follows the one that was read`() async throws
  {
    let store = try TestStore()
    let (one, two) = (try await store.open(), try await store.open())
    defer { _ = (one.close(), two.close()) }
    func value(_ version: Int) -> SharedValue {
      SharedValue(epoch: "e", version: version, revision: UInt64(version), json: Array("{}".utf8))
    }
    func read(_ log: NATSLog) async throws -> SharedValue? {
      try await wait { log.sharedValue("user name", completion: $0) }
    }
    #expect(try await read(one) == nil)
    try await wait { one.share(value(1), as: "user name", completion: $0) }
    try await wait { two.share(value(2), as: "user name", completion: $0) }
    for _ in 0..<2 {
      await #expect {
        try await wait { one.share(value(3), as: "user name", completion: $0) }
      } throws: {
        if case .lost = $0 as? LogError { true } else { false }
      }
    }
    #expect(try await read(one) == value(2))
    try await wait { one.share(value(3), as: "user name", completion: $0) }
    #expect(try await read(two) == value(3))
  }
}
