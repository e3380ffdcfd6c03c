import ReactorLog
import SQLiteLog
import Synchronization
import Testing
import TestSupport

/// The changes of all sessions in the order of commits.
@Suite(.serialized) struct ChangeFeedTests {
  /// Ten years: the entries of the tests have timestamps of the year 2023.
  private let kept = Duration.seconds(315_360_000)

  private func feed(_ log: LogUnderTest) throws -> any ChangeFeed {
    try #require(log.log.changes)
  }

  /// Waits until a number is published.
  private func published(_ number: Int, by feed: any ChangeFeed) async {
    while feed.latest < number { await Task.yield() }
  }

  private func kinds(_ changes: [StoreChange]) -> [String] {
    changes.map { change in
      let kind =
        switch change.kind {
        case .began(let origin): origin.map { "forked \($0.session)@\($0.version)" } ?? "began"
        case .changed(let from): "changed \(from)"
        case .ended: "ended"
        case .global(let name): "global \(name)"
        case .damaged(let name): "damaged \(name)"
        }
      return "\(change.number) \(kind) \(change.key?.id ?? "-") \(change.cursor)"
    }
  }

  @Test(arguments: LogKind.ofOneStore)
  func `without a retention there is no feed`(_ kind: LogKind) throws {
    #expect(try LogUnderTest(kind).log.changes == nil)
  }

  @Test(arguments: LogKind.ofOneStore)
  func `each commit is one change, in order`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind, changeRetention: kept)
    let feed = try feed(log)
    #expect(feed.latest == 0)
    #expect(try feed.floor() == 0)
    try await log.session("a").append(1...3, to: "one")
    try await log.session("b").create(epoch: "two")
    try await log.session("a").append(4...4, to: "one")
    try await log.log.fork("a", at: 2, to: "c", epoch: "three")
    try await log.log.share(
      SharedValue(epoch: "four", version: 7, revision: 1, json: Array("1".utf8)), as: "motto")
    try await log.session("a").end()
    await #expect(throws: LogError.conflict) { try await log.session("b").create(epoch: "x") }
    await published(7, by: feed)
    let changes = try feed.changes(after: 0, limit: 100)
    #expect(
      kinds(changes) == [
        "1 began a one-0", "2 changed 0 a one-3", "3 began b two-0", "4 changed 3 a one-4",
        "5 forked a@2 c three-2", "6 global motto - four-7", "7 ended a one-4",
      ])
    #expect(changes[1].at == LogEntry(counted: 3).at)
    #expect(try feed.changes(after: 3, limit: 2) == Array(changes[3...4]))
    #expect(try feed.changes(after: 7, limit: 2) == [])
  }

  @Test(arguments: LogKind.ofOneStore)
  func `a batch without mutations and a rejected batch are no changes`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind, changeRetention: kept)
    let feed = try feed(log)
    try await log.session("a").append(1...1, to: "one")
    let outcome = StoredOutcome(
      key: IdempotencyKey("k", for: []), at: .now, version: 1, failure: nil)
    try await log.session("a").append(LogBatch(outcomes: [outcome]), to: "one", expecting: 1)
    await #expect(throws: LogError.conflict) {
      try await log.session("a").append([LogEntry(counted: 2)], to: "other", expecting: 1)
    }
    try await log.session("a").append(2...2, to: "one")
    await published(3, by: feed)
    #expect(
      kinds(try feed.changes(after: 0, limit: 9)) == [
        "1 began a one-0", "2 changed 0 a one-1", "3 changed 1 a one-2",
      ])
  }

  @Test(arguments: LogKind.ofOneStore)
  func `an observer is called after the change can be read`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind, changeRetention: kept)
    let feed = try feed(log)
    let observer = ReadingObserver(feed)
    feed.observe(observer)
    for version in 1...20 { try await log.session().append(version...version, to: "one") }
    await published(21, by: feed)
    while observer.last < 21 { await Task.yield() }
    feed.stopObserving(observer)
    #expect(observer.isInOrder)
  }

  @Test func `changes outlive the process, and numbers are not repeated`() async throws {
    let folder = try TemporaryFolder()
    func open(_ kept: Duration) throws -> SQLiteLog {
      try SQLiteLog(path: folder["log.db"], changeRetention: kept)
    }
    let key = SessionKey(reactor: "counter", id: "a")
    var log = try open(kept)
    let name = try #require(log.changes?.store)
    try await log.session(key).append(1...1, to: "one")
    log.close()
    log = try open(kept)
    var feed = try #require(log.changes)
    #expect(feed.store == name)
    #expect(feed.latest == 2)
    try await log.session(key).append(2...2, to: "one")
    await published(3, by: feed)
    #expect(try feed.changes(after: 0, limit: 9).map(\.number) == [1, 2, 3])
    log.close()
    // The changes of a run without a retention are missing, so a feed with another name begins.
    log = try open(.zero)
    #expect(log.changes == nil)
    try await log.session(key).append(3...3, to: "one")
    log.close()
    log = try open(kept)
    feed = try #require(log.changes)
    #expect(feed.store != name)
    #expect(try feed.changes(after: 0, limit: 9) == [])
    log.close()
  }

  @Test func `expired changes are deleted, except for the last one`() async throws {
    let folder = try TemporaryFolder()
    let log = try SQLiteLog(path: folder["log.db"], changeRetention: .milliseconds(1))
    let feed = try #require(log.changes)
    let key = SessionKey(reactor: "counter", id: "a")
    // Each group deletes what has expired; the entries are of the year 2023.
    var version = 0
    repeat {
      version += 1
      try await log.session(key).append(version...version, to: "one")
    } while try feed.floor() < 2
    await published(version + 1, by: feed)
    #expect(try feed.changes(after: 0, limit: 9).last?.cursor.version == version)
    log.close()
    let again = try SQLiteLog(path: folder["log.db"], changeRetention: kept)
    #expect(again.changes?.latest == version + 1)
    again.close()
  }

  @Test func `the copy of a store has another feed`() async throws {
    let folder = try TemporaryFolder()
    let log = try SQLiteLog(path: folder["log.db"], changeRetention: kept)
    let key = SessionKey(reactor: "counter", id: "a")
    try await log.session(key).append(1...1, to: "one")
    try SQLiteMaintenance(path: folder["log.db"]).backUp(to: folder["copy.db"])
    let copy = try SQLiteLog(path: folder["copy.db"], changeRetention: kept)
    #expect(copy.changes?.store != log.changes?.store)
    copy.close()
    log.close()
  }

  @Test(arguments: ["", ".", "a", "a.", ".1", "a.01", "a.-1", "A.1", "a.1.x", "a b.1"])
  func `another text is no id`(text: String) {
    #expect(ChangeID(text) == nil)
    #expect(ChangeID("f3a9.1042")?.description == "f3a9.1042")
  }
}

/// Reads the changes whenever it is notified.
private final class ReadingObserver: ChangeObserver {
  private let feed: any ChangeFeed
  private let numbers = Recorder()

  init(_ feed: any ChangeFeed) {
    self.feed = feed
  }

  var last: Int { numbers.values.last ?? 0 }

  var isInOrder: Bool { numbers.values == Array(1...numbers.values.count) }

  func changesDidCommit() {
    numbers.add { last in (try? feed.changes(after: last, limit: 100).map(\.number)) ?? [] }
  }
}

/// The numbers that an observer has read.
private final class Recorder: Sendable {
  private let recorded = Mutex<[Int]>([])

  var values: [Int] { recorded.withLock { $0 } }

  func add(_ read: (_ last: Int) -> [Int]) {
    recorded.withLock { $0 += read($0.last ?? 0) }
  }
}
