import Foundation
import PostgresLog
import PostgresServers
import ReactorLog
import SQLiteLog
import Synchronization
import Testing
import TestSupport

/// An export of one kind of store is an import of the other one.
@Suite(.serialized) struct ExportTests {
  /// The lines of an export.
  private final class Lines: Sendable {
    private let lines: Mutex<[[UInt8]]>

    init(_ lines: [[UInt8]] = []) {
      self.lines = Mutex(lines)
    }

    var all: [String] {
      lines.withLock { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    func add(_ line: [UInt8]) { lines.withLock { $0.append(line) } }

    func next() -> [UInt8]? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
  }

  private func fill(_ log: any MutationLog) async throws {
    let key = SessionKey(reactor: "counter", id: "a.b~c")
    let session = log.session(key)
    try await session.create(epoch: "one", parameters: Array(#"{"title":"x"}"#.utf8))
    let action = AcceptedAction(
      id: .init(request: 3, place: 1), action: Array("1".utf8), isInArray: true,
      key: IdempotencyKey("k", for: []), context: Array(#"{"id":"r-1"}"#.utf8),
      at: Timestamp(milliseconds: 5), runs: 2, sendName: "s")
    let timer = StoredTimer(
      id: "t", due: Timestamp(milliseconds: 50), action: Array("1".utf8), period: 60,
      catchesUp: true)
    for start in stride(from: 1, through: 300, by: 10) {
      var batch = LogBatch((start..<start + 10).map { LogEntry(counted: $0) })
      if start == 1 {
        batch.accepted = [action]
        batch.timers = [StoredTimerChange(id: "t", timer: timer)]
        batch.outcomes = [
          StoredOutcome(key: IdempotencyKey("o", for: []), at: .now, version: 10, failure: nil)
        ]
      }
      try await session.append(batch, to: "one", expecting: start - 1)
    }
    session.save(
      Snapshot(version: 300, state: Array(#"{"value":300}"#.utf8), schema: "s"), of: "one")
    try await log.session(SessionKey(reactor: "counter", id: "ended")).append(1...3, to: "two")
    try await log.session(SessionKey(reactor: "counter", id: "ended")).end()
    try await log.session(SessionKey(reactor: "counter", id: "empty")).create(epoch: "three")
    try await log.share(
      SharedValue(epoch: "g", version: 2, revision: 9, json: Array(#""hello""#.utf8)), as: "motto")
  }

  /// A store in PostgreSQL that does not exist yet.
  private func newDatabase() throws -> PostgresLog.Settings {
    let address = try #require(PostgresAddress(try PostgresServer.shared.get().url()))
    var settings = PostgresLog.Settings(address)
    settings.schema = PostgresServer.newSchema()
    settings.wait = .seconds(120)
    return settings
  }

  private func maintenance(_ settings: PostgresLog.Settings) -> PostgresMaintenance {
    PostgresMaintenance(settings.address, schema: settings.schema)
  }

  /// The lines without the members that a store chooses: the epoch of an end, and its time of creation.
  private func comparable(_ lines: [String]) -> [String] {
    lines.map { line in
      line.replacing(/"epoch":"[a-z0-9]*","created":\d+,?(?=.*"ended")/, with: "")
        .replacing(/,+/, with: ",")
    }
  }

  @Test func `a store moves from a file to a database and back`() async throws {
    let folder = try TemporaryFolder()
    let file = try SQLiteLog(path: folder["log.db"])
    try await fill(file)
    // The snapshot is stored before the end.
    file.close()
    let first = Lines()
    try SQLiteMaintenance(path: folder["log.db"]).export { first.add($0) }
    #expect(first.all.count > 300)
    let settings = try newDatabase()
    let database = maintenance(settings)
    let input = Lines(first.all.map { Array($0.utf8) })
    #expect(try database.import { input.next() } == 3)
    let second = Lines()
    try database.export { second.add($0) }
    let (exported, imported) = (comparable(first.all), comparable(second.all))
    // A failure lists the lines that differ, not all of them.
    #expect(Set(exported).symmetricDifference(imported).sorted() == [])
    let isEqual = exported == imported
    #expect(isEqual)
    let again = Lines(first.all.map { Array($0.utf8) })
    #expect(throws: PostgresLogError.self) { try database.import { again.next() } }
    // The session continues.
    let log = try PostgresLog(settings)
    defer { log.close() }
    let key = SessionKey(reactor: "counter", id: "a.b~c")
    let entry = LogEntry(counted: 301)
    try await log.session(key).append([entry], to: "one", expecting: 300)

    let third = Lines()
    try database.export { third.add($0) }
    let copy = SQLiteMaintenance(path: folder["copy.db"])
    #expect(try copy.import { third.next() } == 3)
    #expect(try copy.check().isEmpty)
    let fourth = Lines()
    try copy.export { fourth.add($0) }
    #expect(fourth.all.count == first.all.count + 1)
  }

  @Test func `a history whose beginning is deleted is imported with its snapshot`() async throws {
    let settings = try newDatabase()
    var text = [#"{"session":"counter/demo","epoch":"one","created":5}"#]
    text.append(#"{"snapshot":40,"state":{"value":40},"schema":"s"}"#)
    for version in 36...200 {
      text.append(#"{"version":\#(version),"at":7,"mutation":{"by":1}}"#)
    }
    let input = Lines(text.map { Array($0.utf8) })
    #expect(try maintenance(settings).import { input.next() } == 1)
    let log = try PostgresLog(settings)
    defer { log.close() }
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    let loaded = try session.load()
    #expect(loaded.snapshot?.version == 40)
    #expect(loaded.entries.first?.version == 41)
    let last = try session.entries(after: 199, limit: 2)
    #expect(last.map(\.version) == [200])
  }

  @Test func `revisions of globals outlive the entries that have set them`() throws {
    let text = [
      #"{"session":"counter/demo","epoch":"one","created":5,"globals":{"theme":2,"user":7}}"#,
      #"{"snapshot":40,"state":{"value":40},"schema":"s"}"#,
      #"{"version":41,"at":7,"global":"user","revision":7,"mutation":{"by":1}}"#,
    ]
    let settings = try newDatabase()
    let input = Lines(text.map { Array($0.utf8) })
    #expect(try maintenance(settings).import { input.next() } == 1)
    let log = try PostgresLog(settings)
    defer { log.close() }
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    #expect(try session.stored?.globals == ["theme": 2, "user": 7])
    let output = Lines()
    try maintenance(settings).export { output.add($0) }
    #expect(output.all == text)

    let folder = try TemporaryFolder()
    let file = SQLiteMaintenance(path: folder["log.db"])
    #expect(try file.import { output.next() } == 1)
    let again = Lines()
    try file.export { again.add($0) }
    #expect(again.all == text)
  }

  @Test func `values that no store can have are rejected, with the number of the line`() throws {
    let session = #"{"session":"counter/demo","epoch":"one","created":5}"#
    let lines = [
      #"{"session":"/demo","epoch":"one","created":5}"#,
      #"{"session":"counter/","epoch":"one","created":5}"#,
      #"{"session":"counter/a b","epoch":"one","created":5}"#,
      #"{"session":"counter/x","epoch":"","created":5}"#,
      #"{"session":"counter/x","epoch":"one","created":9223372036854775807}"#,
      #"{"snapshot":9223372036854775807,"state":1}"#, #"{"snapshot":0,"state":1}"#,
      #"{"version":0,"at":7,"mutation":1}"#,
      #"{"version":-9223372036854775808,"at":7,"mutation":1}"#,
      #"{"version":1,"at":-9223372036854775808,"mutation":1}"#,
      #"{"timer":"t","due":5,"action":1,"period":0}"#,
      #"{"timer":"t","due":9223372036854775807,"action":1}"#,
      #"{"accepted":9223372036854775807,"place":0,"at":7,"runs":1,"action":1}"#,
      #"{"accepted":1,"place":0,"at":7,"runs":9223372036854775807,"action":1}"#,
      #"{"accepted":1,"place":-1,"at":7,"runs":1,"action":1}"#,
      #"{"outcome":"o","body":"b","at":7,"of":-1}"#,
      #"{"shared":"s","epoch":"e","of":-1,"revision":1,"value":1}"#,
    ]
    let folder = try TemporaryFolder()
    let file = SQLiteMaintenance(path: folder["log.db"])
    let database = maintenance(try newDatabase())
    for line in lines {
      let (first, second) = (Lines([session, line].map { Array($0.utf8) }), Lines())
      let rejected = #expect(throws: SQLiteLogError.self, "\(line)") {
        try file.import { first.next() }
      }
      #expect(rejected?.message.contains("line 2 ") == true, "\(line)")
      for text in [session, line] { second.add(Array(text.utf8)) }
      let error = #expect(throws: PostgresLogError.self, "\(line)") {
        try database.import { second.next() }
      }
      #expect(error?.description.contains("line 2 ") == true, "\(line)")
    }
  }

  @Test(arguments: [
    ["{}"], [#"{"version":1,"at":7,"mutation":1}"#],
    [
      #"{"session":"counter/demo","epoch":"one","created":5}"#,
      #"{"version":1,"at":7,"mutation":1}"#, #"{"version":3,"at":7,"mutation":1}"#,
    ],
  ])
  func `other lines are rejected`(_ text: [String]) throws {
    let database = maintenance(try newDatabase())
    let input = Lines(text.map { Array($0.utf8) })
    #expect(throws: PostgresLogError.self) { try database.import { input.next() } }
  }
}
