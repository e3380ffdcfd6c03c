import Brokers
import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization
import Telemetry
import Testing

@testable import NATSLog

/// Cleaning of the LOG streams: nothing that a session needs is lost, also if the process ends between
/// any two steps.
@Suite(.serialized) struct CleaningTests {
  /// An interruption of cleaning.
  struct Interruption: CustomTestStringConvertible, Sendable {
    let step: CleaningStep
    /// The number of times that the step is executed before the interruption.
    let after: Int

    var testDescription: String { "\(step.rawValue) \(after)" }
  }

  private static let action = AcceptedAction(
    id: .init(request: 1, place: 0), action: Array("1".utf8), isInArray: false, key: nil,
    at: Timestamp(milliseconds: 1))
  private static let timer = StoredTimer(
    id: "t", due: Timestamp(milliseconds: 50), action: Array("1".utf8))

  /// A store whose streams are cleaned as soon as that is requested.
  private func store(_ hook: @escaping CleaningHook = { _ in }) throws -> TestStore {
    var store = try TestStore()
    store.settings.streams = 1
    (store.settings.cleaning.minimum, store.settings.cleaning.age) = (0, 0)
    (store.settings.cleaning.growth, store.settings.cleaning.interval) = (0, 3600)
    store.settings.cleaning.hook = hook
    // Ten years: the entries of the tests have timestamps of the year 2023.
    store.settings.outcomeRetention = .seconds(315_360_000)
    return store
  }

  /// Fills a store with sessions of all kinds.
  private func fill(_ log: NATSLog) async throws {
    let long = log.counter("long")
    try await wait {
      long.create(epoch: "one", parameters: Array(#"{"title":"x"}"#.utf8), completion: $0)
    }
    for start in stride(from: 1, through: 700, by: 7) {
      var batch = LogBatch((start..<start + 7).map { LogEntry(counted: $0) })
      let key = IdempotencyKey("\(start)", for: [])
      batch.outcomes = [StoredOutcome(key: key, at: .now, version: start + 6, failure: nil)]
      if start == 1 {
        batch.accepted = [Self.action]
        batch.timers = [StoredTimerChange(id: "t", timer: Self.timer)]
      }
      try await long.append(batch, to: "one", expecting: start - 1)
    }
    try await log.counter("short").append(1...5)
    try await log.counter("ended").append(1...300)
    try await log.counter("ended").end()
    try await log.counter("again").append(1...300)
    try await log.counter("again").end()
    try await log.counter("again").create(epoch: "two")
    try await log.counter("again").append(1...3, to: "two")
  }

  /// The member `created` of each exported session that has not ended.
  private func creations(of log: NATSLog) async throws -> [String: Int64] {
    let lines = Mutex<[[UInt8]]>([])
    try await log.export { line in lines.withLock { $0.append(line) } }
    var found: [String: Int64] = [:]
    for line in lines.withLock({ $0 }) {
      let root = try JSONDocument(parsing: line).root
      guard let session = root["session"]?.string, root["ended"] == nil else { continue }
      found[session] = root["created"]?.integer(as: Int64.self)
    }
    return found
  }

  /// Compares a store with what ``fill(_:)`` has stored.
  private func check(_ log: NATSLog, _ long: Int = 700) async throws {
    let session = log.counter("long")
    let loaded = try await session.load()
    guard case .stored(let stored) = loaded.record else {
      Issue.record("the session is not stored")
      return
    }
    #expect(stored.version == long)
    #expect(stored.parameters == Array(#"{"title":"x"}"#.utf8))
    #expect(loaded.acceptedActions == [Self.action])
    #expect(loaded.timers == [Self.timer])
    #expect(loaded.lastWriter?.name == "n1")
    #expect(try await entries(of: session) == (1...long).map { LogEntry(counted: $0) })
    for version in [0, 1, 126, 127, 128, 129, 255, 256, 690, 699] {
      let page = try await session.entries(after: version, limit: 5)
      #expect(!page.isEmpty)
      #expect(page == (version + 1...version + page.count).map { LogEntry(counted: $0) })
    }
    let keys = try #require(session as? NATSSessionLog)
    #expect(try await session.outcome(of: "2") == nil)
    // The hashes of the keys, including those in pages, exclude key 2, so its lookup has read no
    // outcomes.
    #expect(keys.state.withLock { $0.outcomes.missing(for: "1") } == .outcomes)
    #expect(try await session.outcome(of: "1")?.version == 7)
    #expect(try await session.outcome(of: "694")?.version == 700)
    #expect(try await entries(of: log.counter("short")).count == 5)
    #expect(try await entries(of: log.counter("again")).count == 3)
    guard case .ended = try await log.counter("ended").load().record else {
      Issue.record("the session has not ended")
      return
    }
  }

  private func entries(of session: any SessionLog) async throws -> [LogEntry] {
    var entries: [LogEntry] = []
    while true {
      let page = try await session.entries(after: entries.count, limit: 1000)
      if page.isEmpty { return entries }
      entries += page
    }
  }

  /// The number of messages of a stream.
  private func count(_ stream: String, in log: NATSLog) async throws -> Int {
    let root = try await log.store.reader.call("STREAM.INFO.\(stream)")
    return try #require(root["state"]?["messages"]?.integer())
  }

  /// Returns the number of pages of all sessions.
  private func pageCount(in log: NATSLog) async throws -> Int {
    var total = 0
    for number in 0..<StoreNames.snapshotStreams {
      total += try await count(log.store.names.pages(number), in: log)
    }
    return total
  }

  /// Cleans until the stream has little more than the last anchor of each session.
  private func clean(_ log: NATSLog) async throws {
    // Each pass deletes three quarters of the messages.
    for _ in 0..<6 { try await log.cleaner.clean(0) }
  }

  @Test func `histories, outcomes, journals, parameters and ends outlive the messages`()
    async throws
  {
    let store = try store()
    var log = try await store.open()
    try await fill(log)
    let before = try await count(log.store.names.log(0), in: log)
    try await clean(log)
    #expect(try await count(log.store.names.log(0), in: log) <= 8)
    #expect(before > 100)
    #expect(try await pageCount(in: log) == 700 / Page.length)
    try await check(log)
    log.close()
    log = try await store.open()
    defer { log.close() }
    try await check(log)
    // Further entries of the history become pages as well.
    try await log.counter("long").append(701...1400)
    try await clean(log)
    try await check(log, 1400)
    #expect(log.store.engine.counters.forks.value == 0)
  }

  @Test func `an anchor has the time of the creation, which an export writes`() async throws {
    let log = try await store().open()
    defer { log.close() }
    try await fill(log)
    let before = try await creations(of: log)
    #expect(before.count == 3)
    // An implicitly created session has the time of its first entry, not of its last one.
    #expect(before["counter/short"] == LogEntry(counted: 1).at.milliseconds)
    try await clean(log)
    #expect(try await creations(of: log) == before)
    // Further messages follow the anchor.
    try await log.counter("short").append(6...6)
    #expect(try await creations(of: log) == before)
  }

  @Test func `a writer continues after an anchor, and only after an anchor`() async throws {
    let store = try store()
    let (one, two) = (try await store.open(), try await store.open())
    defer { _ = (one.close(), two.close()) }
    let (first, second) = (one.counter(), two.counter())
    for version in 1...40 { try await first.append(version...version) }
    _ = try await second.load()
    #expect(
      try await two.cleaner.compact(SessionKey(reactor: "counter", id: "demo"), before: .max))
    try await first.append(41...41)
    await #expect(throws: LogError.self) { try await second.append(41...41) }
    _ = try await second.load()
    let outcome = StoredOutcome(
      key: IdempotencyKey("k", for: []), at: .now, version: 41, failure: nil)
    try await second.append(LogBatch(outcomes: [outcome]), to: "one", expecting: 41)
    #expect(
      try await one.cleaner.compact(SessionKey(reactor: "counter", id: "demo"), before: .max))
    // Only the fence can see the outcome, which is between the first writer's end and the anchor.
    let error = await #expect(throws: LogError.self) { try await first.append(42...42) }
    #expect(error == .lost(to: NodeID(two.store.engine.writer)))
    try await second.append(42...42)
    #expect(try await entries(of: second).count == 42)
  }

  @Test func `a session that is written to is compacted by its own process`() async throws {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    let session = log.counter()
    var version = 0
    while log.store.engine.counters.anchors.value < 2 {
      version += 1
      try await session.append(version...version)
    }
    #expect(version >= 2 * NATSSessionLog.compactionInterval)
    // The process does not read its own messages again.
    #expect(log.store.engine.counters.reads.value == 0)
    #expect(try await entries(of: session) == (1...version).map { LogEntry(counted: $0) })
    #expect(log.store.engine.counters.lost.value == 0)
  }

  @Test func `sessions are cleaned while they are written to`() async throws {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    let writers = Writers(log)
    async let versions = writers.run()
    while log.store.engine.counters.appends.value < 200 {
      try await Task.sleep(for: .milliseconds(5))
    }
    for _ in 0..<5 { try await log.cleaner.clean(0) }
    writers.isOver.store(true, ordering: .relaxed)
    for (id, version) in try await versions.enumerated() {
      #expect(
        try await entries(of: log.counter("\(id)"))
          == (1...version).map { LogEntry(counted: $0) })
    }
    #expect(log.store.engine.counters.forks.value == 0)
  }

  @Test(
    arguments: CleaningStep.allCases.flatMap { step in
      [0, 1, 3].map { Interruption(step: step, after: $0) }
    })
  func `nothing is lost if the process ends between two steps`(
    _ interruption: Interruption
  ) async throws {
    let count = Atomic(0)
    let isOver = Atomic(false)
    var store = try store { step throws(LogError) in
      guard step == interruption.step else { return }
      guard count.add(1, ordering: .relaxed).oldValue >= interruption.after else { return }
      isOver.store(true, ordering: .relaxed)
      throw .unavailable("The process has ended.")
    }
    var log = try await store.open()
    try await fill(log)
    for _ in 0..<4 where !isOver.load(ordering: .relaxed) { _ = try? await log.cleaner.clean(0) }
    try await check(log)
    log.close()
    store.settings.cleaning.hook = { _ in }
    log = try await store.open()
    defer { log.close() }
    try await check(log)
    try await log.counter("long").append(701...705)
    try await clean(log)
    try await check(log, 705)
    // Each page that was written is named by a session, or deleted.
    #expect(try await pageCount(in: log) == 705 / Page.length)
    #expect(try await self.count(log.store.names.log(0), in: log) <= 8)
    #expect(log.store.engine.counters.forks.value == 0)
  }

  @Test func `pages of the ended are deleted, and of those that begin again`() async throws {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    try await fill(log)
    try await clean(log)
    for id in ["long", "again"] { try await log.counter(id).end() }
    try await clean(log)
    #expect(try await pageCount(in: log) == 0)
    try await log.counter("long").create(epoch: "three")
    try await log.counter("long").append(1...300, to: "three")
    try await clean(log)
    #expect(try await entries(of: log.counter("long")).count == 300)
    #expect(try await pageCount(in: log) == 2)
  }

  @Test(arguments: [0, 1, 127, 128, 129, 640, 699, 700])
  func `a fork of a long history is independent of it`(_ version: Int) async throws {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    try await fill(log)
    try await clean(log)
    try await log.counter("long").append(701...730)
    let (source, target) = (
      SessionKey(reactor: "counter", id: "long"), SessionKey(reactor: "counter", id: "fork")
    )
    let cursor = Cursor(epoch: "one", version: version)
    try await wait {
      log.fork(source, at: cursor, to: target, epoch: "f", parameters: nil, completion: $0)
    }
    let error = await #expect(throws: LogError.self) {
      try await wait {
        log.fork(source, at: cursor, to: target, epoch: "g", parameters: nil, completion: $0)
      }
    }
    #expect(error == .conflict)
    try await log.counter("long").end()
    try await clean(log)
    let fork = log.session(target)
    let loaded = try await fork.load()
    guard case .stored(let stored) = loaded.record else {
      Issue.record("the fork is not stored")
      return
    }
    #expect((stored.epoch, stored.version) == ("f", version))
    #expect(stored.parameters == Array(#"{"title":"x"}"#.utf8))
    #expect(loaded.acceptedActions.isEmpty && loaded.timers.isEmpty)
    #expect(try await entries(of: fork) == (0..<version).map { LogEntry(counted: $0 + 1) })
    try await fork.append(version + 1...version + 1, to: "f")
  }

  @Test func `a session that cannot be compacted does not prevent the cleaning of others`()
    async throws
  {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    try await fill(log)
    let subject = log.store.names.logSubject(of: SessionKey(reactor: "counter", id: "damaged"))
    _ = try await log.store.engine.request(Array("damaged".utf8), to: subject)
    let stream = log.store.names.log(0)
    let before = try await count(stream, in: log)
    #expect(try await log.cleaner.clean(0))
    #expect(try await count(stream, in: log) < before / 2)
    #expect(log.store.engine.counters.uncleaned.value == 1)
    let last = try await log.store.reader.last(subject, in: stream)
    #expect(last?.payload == Array("damaged".utf8))
    try await check(log)
  }

  @Test func `the pages of an interrupted fork are deleted`() async throws {
    let store = try store()
    let log = try await store.open()
    defer { log.close() }
    let key = SessionKey(reactor: "counter", id: "fork")
    // The remains of an interrupted fork: the message by which the target is found, and pages, but
    // no first message of the session.
    let reservation = SessionHead().voiding(now: .now)
    try await log.store.append(reservation, of: key, expecting: 0)
    var writer = PageWriter(log.store, key, epoch: "f", after: PagedHistory(), previous: 0)
    for version in 1...300 { try await writer.append(LogEntry(counted: version)) }
    #expect(try await pageCount(in: log) == 2)
    try await log.counter("other").append(1...1)
    try await log.counter("other").append(2...2)
    try await log.counter("other").append(3...3)
    try await clean(log)
    #expect(try await pageCount(in: log) == 0)
    guard case .none = try await log.session(key).load().record else {
      Issue.record("the session is stored")
      return
    }
    try await log.session(key).append(1...1)
  }
}

/// Appends to four sessions until it is stopped.
private final class Writers: Sendable {
  let isOver = Atomic(false)
  private let log: NATSLog

  init(_ log: NATSLog) {
    self.log = log
  }

  /// Appends to each session.
  ///
  /// - Returns: The last version of each.
  func run() async throws -> [Int] {
    async let one = append(to: 0)
    async let two = append(to: 1)
    async let three = append(to: 2)
    async let four = append(to: 3)
    return try await [one, two, three, four]
  }

  private func append(to id: Int) async throws -> Int {
    let session = log.counter("\(id)")
    var version = 0
    while !isOver.load(ordering: .relaxed) {
      version += 1
      try await session.append(version...version)
    }
    return version
  }
}
