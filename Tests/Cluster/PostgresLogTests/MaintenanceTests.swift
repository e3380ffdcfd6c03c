import PostgresLog
import PostgresServers
import ReactorLog
import TestSupport
import Testing

/// Exports, imports and upkeep.
///
/// One case at a time, because a server has a limited number of connections.
@Suite(.serialized) struct MaintenanceTests {
  private func export(_ settings: PostgresLog.Settings) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try PostgresMaintenance(settings.address, schema: settings.schema).export { lines.append($0) }
    return lines
  }

  /// Stores rows of all kinds; the upkeep deletes the outcome when it has expired since its time.
  private func fill(_ log: PostgresLog, at time: Timestamp = .now) async throws {
    let key = IdempotencyKey("k \"x\"", for: [1])
    var batch = LogBatch((1...3).map { LogEntry(counted: $0, by: "ada") })
    batch.accepted = [
      AcceptedAction(
        id: .init(request: 1, place: 0), action: [0x31], isInArray: true, key: key,
        principal: Array(#"{"id":"ada"}"#.utf8), context: Array(#"{"id":"r"}"#.utf8),
        at: Timestamp(milliseconds: 7), sendName: "n")
    ]
    batch.outcomes = [
      StoredOutcome(
        key: key, at: time, version: 2,
        failure: ActionFailure(index: 1, reason: nil))
    ]
    batch.timers = [
      StoredTimerChange(
        id: "t",
        timer: StoredTimer(id: "t", due: Timestamp(milliseconds: 9), action: [0x32], period: 5))
    ]
    batch.failures = [
      StoredFailure(
        id: "f", session: "demo", at: Timestamp(milliseconds: 3), action: [0x33],
        failure: ActionFailure(index: nil, reason: nil))
    ]
    batch.received = [.init(name: "motto", revision: .max)]
    batch.parameters = Array(#"{"a":1}"#.utf8)
    try await log.demo().append(batch, to: "one", expecting: 0)
    try await log.demo("ended").append(1...1, to: "two")
    try await log.demo("ended").end()
    try await log.share(
      SharedValue(epoch: "e", version: 2, revision: 4, json: [0x31]), as: "motto")
  }

  @Test func `an import of an export has the same export, and rejects what exists`() async throws {
    let (source, copy) = (try newStore(), try newStore())
    let log = try PostgresLog(source)
    try await fill(log)
    let lines = try export(source)
    #expect(lines.count == 10)
    let target = PostgresMaintenance(copy.address, schema: copy.schema)
    var rest = lines[...]
    #expect(try target.import { rest.popFirst() } == 2)
    #expect(try export(copy) == lines)
    rest = lines[...]
    #expect(throws: PostgresLogError.self) { try target.import { rest.popFirst() } }
    // A line that is damaged leaves out its session only.
    rest = [Array(#"{"session":"counter/new","epoch":"n","created":1}"#.utf8)] + lines
    rest.append(Array(#"{"session":"counter/bad","epoch":"n","created":1}"#.utf8))
    rest.append(Array(#"{"version":7,"at":1,"mutation":1}"#.utf8))
    rest.append(Array(#"{"session":"counter/last","epoch":"n","created":1}"#.utf8))
    var reports: [String] = []
    #expect(try target.import(leavingOut: { reports.append($0) }, { rest.popFirst() }) == 2)
    #expect(reports.count == 4)
    let opened = try PostgresLog(copy)
    for (id, version) in [("new", 0), ("demo", 3), ("last", 0)] {
      #expect(try opened.demo(id).stored?.version == version)
    }
    #expect(try opened.demo("bad").record() == .none)
    #expect(log.close() && opened.close())
  }

  /// Damage of the session `demo`, by table and by the columns of each.
  @Test(arguments: [
    "sessions set session = 'bad id'", "sessions set session = ''", "sessions set reactor = ''",
    "sessions set parameters = '{'", "sessions set epoch = ''",
    "sessions set created = 9223372036854775807", "mutations set mutation = '{'",
    "mutations set action = ''", "mutations set version = -version",
    "mutations set at = 9223372036854775807", "accepted set action = '['",
    "accepted set failure = '{'", "accepted set principal = '{'", "accepted set runs = -1",
    "accepted set at = -9223372036854775808", "outcomes set failure = '{'",
    "outcomes set version = -1", "timers set action = '{'", "timers set period = 0",
    "timers set due = 9223372036854775807", "failures set failure = '{'",
  ])
  func `no row ends an export, a list or an import of the others`(_ change: String) async throws {
    let (source, copy) = (try newStore(), try newStore())
    let log = try PostgresLog(source)
    try await fill(log)
    try await log.demo("other").append(1...3, to: "other")
    let (table, values) = (change.prefix { $0 != " " }, change.drop { $0 != " " })
    let history = "(select id from \(source.schema).sessions where session = 'demo')"
    try PostgresServer.shared.get().query(
      "update \(source.schema).\(table)\(values) where \(table == "sessions" ? "id" : "history") = \(history)"
    )
    let lines = try export(source)
    var rest = lines[...]
    let target = PostgresMaintenance(copy.address, schema: copy.schema)
    #expect(throws: PostgresLogError.self) { try target.import { rest.popFirst() } }
    rest = lines[...]
    var reports: [String] = []
    #expect(try target.import(leavingOut: { reports.append($0) }, { rest.popFirst() }) == 2)
    #expect(reports.count == 1)
    let imported = try PostgresLog(copy)
    for log in [log, imported] {
      #expect(try log.demo("other").load().entries.count == 3)
      let listed = try log.sessions(of: "counter", after: nil, limit: 1000)
      #expect(listed.map(\.id).contains("other"))
    }
    #expect(try imported.demo().record() == .none)
    #expect(try target.check() == [])
    #expect(log.close() && imported.close())
  }

  @Test func `the rows of an ended history, and expired outcomes, are deleted`() async throws {
    let server = try PostgresServer.shared.get()
    var settings = try newStore()
    settings.outcomeRetention = .milliseconds(1)
    let log = try PostgresLog(settings)
    try await fill(log, at: Timestamp(milliseconds: 8))
    try await log.demo().end()
    for table in [
      "mutations", "accepted", "outcomes", "timers", "failures", "globals", "removals",
    ] {
      try await wait(until: {
        try server.query("select count(*) from \(settings.schema).\(table)") == "0"
      })
    }
    #expect(log.close())
  }

  @Test func `an orderly shutdown does not count as a failed run`() async throws {
    let settings = try newStore()
    let log = try PostgresLog(settings)
    try await fill(log)
    #expect(log.close())
    let again = try PostgresLog(settings)
    #expect(try again.demo().load().acceptedActions.map(\.runs) == [0])
    #expect(again.close())
  }
}
