import Brokers
import NATSClient
import ReactorLog
import Synchronization
import Testing

@testable import NATSLog

/// The feed of changes of a store that several processes write to.
@Suite(.serialized) struct NATSFeedTests {
  private func store(_ retention: Duration = .seconds(3600)) throws -> TestStore {
    var store = try TestStore()
    store.settings.streams = 3
    store.settings.changeRetention = retention
    (store.settings.cleaning.minimum, store.settings.cleaning.age) = (0, 0)
    (store.settings.cleaning.growth, store.settings.cleaning.interval) = (0, 3600)
    return store
  }

  private func feed(_ log: NATSLog) throws -> any ChangeFeed { try #require(log.changes) }

  private func published(_ number: Int, by feed: any ChangeFeed) async throws {
    while feed.latest < number { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// All changes after a number.
  private func all(_ feed: any ChangeFeed, after start: Int = 0) throws -> [StoreChange] {
    var changes: [StoreChange] = []
    while true {
      let page = try feed.changes(after: changes.last?.number ?? start, limit: 300)
      if page.isEmpty { return changes }
      changes += page
    }
  }

  @Test func `a record is read as it was written`() {
    var record = FeedRecord(store: "ab3", at: 17, positions: [4, 0, 9])
    (record.began, record.number) = (2, 40)
    record.index.append(HistoryIndex.Position(version: 0, sequence: 1))
    let key = SessionKey(reactor: "counter", id: "a \"b\"")
    let kinds: [StoreChange.Kind] = [
      .began(forkedFrom: nil), .began(forkedFrom: .init(session: "x", version: 4)),
      .changed(from: 3), .ended,
    ]
    for (index, kind) in kinds.enumerated() {
      record.changes.append(
        StoreChange(
          number: 41 + index, kind: kind, key: key, cursor: Cursor(epoch: "e", version: 7),
          at: Timestamp(milliseconds: 5), by: index == 2 ? "ada" : nil))
    }
    record.changes.append(
      StoreChange(
        number: 45, kind: .global(name: "motto"), key: nil, cursor: Cursor(epoch: "e", version: 1),
        at: Timestamp(milliseconds: 6)))
    #expect(FeedRecord(record.payload) == record)
    #expect(FeedRecord(Array("{}".utf8)) == nil)
  }

  @Test func `the readers of two processes see the same changes of both`() async throws {
    var store = try store()
    let one = try await store.open()
    store.settings.node = "n2"
    let two = try await store.open()
    defer { _ = (one.close(), two.close()) }
    let feeds = (try feed(one), try feed(two))
    #expect(feeds.0.store == feeds.1.store)
    async let first: Void = append(to: one, "one")
    async let second: Void = append(to: two, "two")
    _ = try await (first, second)
    // Two sessions begin, and have 150 changes each.
    try await published(302, by: feeds.0)
    try await published(302, by: feeds.1)
    let changes = try all(feeds.0)
    #expect(changes == (try all(feeds.1)))
    #expect(changes.map(\.number) == Array(1...302))
    for id in ["one", "two"] {
      let versions = changes.filter { $0.key?.id == id }.map(\.cursor.version)
      #expect(versions == Array(0...150))
    }
    #expect(try feeds.1.changes(after: 300, limit: 9) == Array(changes.suffix(2)))
  }

  private func append(to log: NATSLog, _ id: String) async throws {
    for version in 1...150 { try await log.counter(id).append(version...version) }
  }

  @Test func `changes outlive the process and the messages of the log`() async throws {
    let store = try store()
    var log = try await store.open()
    let name = try feed(log).store
    for id in ["a", "b", "c", "d"] {
      for version in 1...20 { try await log.counter(id).append(version...version) }
    }
    try await published(84, by: feed(log))
    log.close()
    // Cleaning deletes no message before the feed has read its changes.
    log = try await store.open()
    for number in 0..<3 { try await log.cleaner.clean(number) }
    try await log.counter("a").append(21...21)
    try await published(85, by: feed(log))
    #expect(try feed(log).store == name)
    #expect(try all(feed(log)).map(\.number) == Array(1...85))
    #expect(try feed(log).floor() == 0)
    log.close()
  }

  @Test func `changes without a feed begin another one only if their messages are deleted`()
    async throws
  {
    var store = try store()
    var log = try await store.open()
    let name = try feed(log).store
    try await log.counter().append(1...1)
    try await published(2, by: feed(log))
    log.close()
    store.settings.changeRetention = .zero
    log = try await store.open()
    #expect(log.changes == nil)
    for version in 2...8 { try await log.counter().append(version...version) }
    log.close()
    store.settings.changeRetention = .seconds(3600)
    log = try await store.open()
    try await published(9, by: feed(log))
    #expect(try feed(log).store == name)
    log.close()
    store.settings.changeRetention = .zero
    log = try await store.open()
    for version in 9...40 { try await log.counter().append(version...version) }
    for number in 0..<3 { try await log.cleaner.clean(number) }
    log.close()
    store.settings.changeRetention = .seconds(3600)
    log = try await store.open()
    defer { log.close() }
    let feed = try feed(log)
    #expect(feed.store != name)
    #expect((feed.latest, try feed.floor()) == (9, 9))
    #expect(try all(feed).isEmpty)
    try await log.counter().append(41...41)
    try await published(10, by: feed)
    #expect(try all(feed, after: 9).map(\.cursor.version) == [41])
  }

  @Test func `expired changes are deleted, except for the last ones`() async throws {
    let store = try store(.milliseconds(1))
    let log = try await store.open()
    defer { log.close() }
    for version in 1...50 { try await log.counter().append(version...version) }
    try await published(51, by: feed(log))
    let reader = FeedReader(log.store)
    let writer = FeedWriter(log.store, reader, retention: -1_000)
    let last = try #require(try await reader.last())
    let floor = try #require(try await writer.deleteExpired(upTo: last))
    #expect(floor == last.record.number)
    #expect(try await log.store.reader.bounds(of: log.store.names.feed).first == last.sequence)
  }
}
