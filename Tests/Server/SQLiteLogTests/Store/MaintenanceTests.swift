import Foundation
import LogTestSupport
import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// Maintenance of a store on demand.
struct MaintenanceTests {
  private let folder: TemporaryFolder
  private let log: SQLiteLog
  private let schemas = ["counter": "a"]

  /// Creates a store with sessions of every kind.
  init() async throws {
    folder = try TemporaryFolder()
    log = try SQLiteLog(path: folder["log.db"])
    let session = log.session(SessionKey(reactor: "counter", id: "demo"))
    try await session.append(1...100, to: "one")
    session.save(Snapshot(version: 50, state: Array(#"{"value":50}"#.utf8), schema: "a"), of: "one")
    let marked = LogEntry(
      version: 101, at: Timestamp(milliseconds: 5), action: Array(#"{"set":{"a":null}}"#.utf8),
      global: .init(name: "a \"user\"", revision: .max), mutation: Array(#"{"a":1e400}"#.utf8),
      by: "ada \"x\"")
    let key = IdempotencyKey("a \"key\"", for: [])
    let accepted = AcceptedAction(
      id: .init(request: 4, place: 2), action: Array(#"{"hold":"a"}"#.utf8), isInArray: true,
      key: key, principal: Array(#"{"id":"ada"}"#.utf8), at: Timestamp(milliseconds: 6), runs: 2,
      failure: ActionFailure(index: 2, reason: nil), sendName: "a \"name\"")
    let outcomes = [
      StoredOutcome(key: key, at: .now, version: 101, failure: nil),
      StoredOutcome(
        key: IdempotencyKey("b", for: [1]), at: .now, version: 101,
        failure: ActionFailure(index: nil, reason: nil)),
    ]
    try await session.append(
      LogBatch([marked], accepted: [accepted], outcomes: outcomes), to: "one", expecting: 100)
    let shared = SharedValue(epoch: "s", version: 2, revision: 77, json: Array("[1,null]".utf8))
    try await log.share(shared, as: "a \"user\"")
    try await log.session(SessionKey(reactor: "counter", id: "ended")).end()
    try await log.session(SessionKey(reactor: "other", id: "empty")).create(
      epoch: "two", parameters: Array(#"{"title":"a \"b\""}"#.utf8))
  }

  private func permissions(of name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder[name])
    return attributes[.posixPermissions] as? Int
  }

  private func export(_ name: String) throws -> [String] {
    var lines: [String] = []
    try SQLiteMaintenance(path: folder[name]).export { line in
      lines.append(String(decoding: line, as: UTF8.self))
    }
    return lines
  }

  private func read(_ lines: [String], into name: String) throws -> Int {
    var rest = lines[...]
    return try SQLiteMaintenance(path: folder[name]).import {
      rest.popFirst().map { Array($0.utf8) }
    }
  }

  @Test func `an imported export exports the same lines, while the store is in use`() throws {
    let lines = try export("log.db")
    #expect(lines.count == 3 + 1 + 101 + 3 + 1)
    #expect(try read(lines, into: "new.db") == 3)
    #expect(try export("new.db") == lines)
    #expect(try SQLiteMaintenance(path: folder["new.db"]).check() == [])

    let new = try SQLiteLog(reading: folder["new.db"])
    let key = SessionKey(reactor: "counter", id: "demo")
    #expect(try new.session(key).record() == log.session(key).record())
    #expect(
      try new.session(key).entries(after: 0, limit: 1000)
        == log.session(key).entries(after: 0, limit: 1000))
    #expect(try new.sharedValue("a \"user\"") != nil)
    #expect(try new.sharedValue("a \"user\"") == log.sharedValue("a \"user\""))
    #expect(
      try new.session(key).snapshot(atOrBefore: 99) == log.session(key).snapshot(atOrBefore: 99))
    #expect(try new.session(key).acceptedActions() == log.session(key).acceptedActions())
    for name in ["a \"key\"", "b"] {
      #expect(try new.session(key).outcome(of: name) != nil)
      #expect(try new.session(key).outcome(of: name) == log.session(key).outcome(of: name))
    }
    #expect(try new.session(SessionKey(reactor: "counter", id: "ended")).record() == .ended)
  }

  @Test(arguments: [
    "nonsense", "{}", "[]", #"{"version":1,"at":0,"mutation":1}"#,
    #"{"session":"counter/demo","epoch":"x","created":0}"#,
    #"{"session":"counter/x","created":0}"#,
  ])
  func `an invalid line or an existing session rejects the whole import`(_ line: String) throws {
    log.close()
    let before = try export("log.db")
    let first = #"{"session":"counter/new","epoch":"x","created":0}"#
    let lines = line.contains("version") ? [line, first] : [first, line]
    let error = #expect(throws: SQLiteLogError.self) { try read(lines, into: "log.db") }
    #expect(error?.message.contains("line") == true)
    #expect(try export("log.db") == before)
  }

  @Test func `a gap in an export is rejected`() throws {
    var lines = try export("log.db")
    lines.removeAll { $0.contains(#""version":70,"#) }
    #expect(throws: SQLiteLogError.self) { try read(lines, into: "new.db") }
  }

  @Test func `a copy of a store in use is a store`() async throws {
    let store = SQLiteMaintenance(path: folder["log.db"])
    try store.backUp(to: folder["copy.db"])
    #expect(try export("copy.db") == export("log.db"))
    #expect(throws: SQLiteLogError.self) { try store.backUp(to: folder["copy.db"]) }
    #expect(try permissions(of: "copy.db") == 0o600)
    let copy = try SQLiteLog(path: folder["copy.db"])
    let session = copy.session(SessionKey(reactor: "counter", id: "demo"))
    try await session.append(102...102, to: "one")
    copy.close()
  }

  @Test func `a copy that fails leaves no file`() throws {
    // The last step of a copy fails without this table.
    try Shell.sqlite(folder["log.db"], "DROP TABLE feed")
    let store = SQLiteMaintenance(path: folder["log.db"])
    #expect(throws: SQLiteLogError.self) { try store.backUp(to: folder["copy.db"]) }
    for name in ["copy.db", "copy.db.partial"] {
      #expect(!FileManager.default.fileExists(atPath: folder[name]))
    }
  }

  @Test func `compaction applies the retention, and needs the store's lock`() throws {
    let store = SQLiteMaintenance(path: folder["log.db"])
    let rules = try #require(RetentionRules("all,counter=20"))
    #expect(throws: SQLiteLogError.self) { try store.compact(to: rules, schemas: schemas) }
    log.close()
    try store.compact(to: rules, schemas: schemas)
    #expect(try store.check() == [])
    let retained = try SQLiteLog(reading: folder["log.db"])
      .session(SessionKey(reactor: "counter", id: "demo")).entries(after: 0, limit: 1000)
    #expect(retained.map(\.version) == Array(51...101))
  }

  @Test func `compaction skips sessions without a readable snapshot`() throws {
    log.close()
    let store = SQLiteMaintenance(path: folder["log.db"])
    try store.compact(to: RetentionRules(.versions(20)), schemas: ["counter": "b", "other": "a"])
    // Nothing is deleted: the outcomes are recent.
    #expect(try export("log.db").count == 109)
  }

  @Test func `compaction applies the retention in days, and that of outcomes`() throws {
    // Set the time just before the close: an open store deletes expired outcomes at any time.
    try Shell.sqlite(folder["log.db"], "UPDATE outcomes SET at = 7")
    log.close()
    let store = SQLiteMaintenance(path: folder["log.db"])
    try store.compact(to: RetentionRules(.days(36_500)), schemas: schemas)
    #expect(try export("log.db").count == 107)
    try store.compact(to: RetentionRules(.days(1)), schemas: schemas)
    #expect(try export("log.db").count == 107 - 50)
  }

  @Test func `a missing entry is found`() throws {
    let store = SQLiteMaintenance(path: folder["log.db"])
    #expect(try store.check() == [])
    try Shell.sqlite(folder["log.db"], "DELETE FROM mutations WHERE version = 70")
    #expect(try store.check().count == 1)
  }

  @Test func `rows of no session are found`() throws {
    let store = SQLiteMaintenance(path: folder["log.db"])
    try Shell.sqlite(
      folder["log.db"], "UPDATE accepted SET session = 77; UPDATE outcomes SET session = 78")
    #expect(try store.check().count == 2)
  }

  @Test func `a store that is open for reading rejects writes`() async throws {
    let reading = try SQLiteLog(reading: folder["log.db"])
    let session = reading.session(SessionKey(reactor: "counter", id: "demo"))
    await #expect(throws: LogError.self) { try await session.append(102...102, to: "one") }
    await #expect(throws: LogError.self) { try await session.end() }
    #expect(reading.close())
  }
}
