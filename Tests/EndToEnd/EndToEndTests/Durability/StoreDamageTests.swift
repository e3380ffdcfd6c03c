import Foundation
import Testing

/// Stores in which random bytes of random rows have changed: no feed, list, export or import ends with a
/// damaged row, what is not damaged is as before, and what is left out is named.
@Suite(.blocking) struct StoreDamageTests {
  /// The number of damaged stores; `make test-faults` sets it to 200.
  private static let cases =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 12
  private static let tables = [
    "sessions", "mutations", "snapshots", "timers", "accepted", "outcomes", "failures", "changes",
  ]
  /// The columns by which a row belongs to another one: without them a row disappears with its owner.
  private static let owners = [
    "sessions.id", "sessions.ended", "mutations.session", "snapshots.session", "timers.session",
    "accepted.session", "outcomes.session", "failures.session", "failures.number",
    "failures.reactor", "changes.number", "changes.reactor",
  ]

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: The store

  private func start(_ store: String) throws -> ReactordProcess {
    try ReactordProcess(
      "--store", "sqlite:\(folder[store])", "--changes-keep", "86400", program: "faulty")
  }

  /// Creates a store with rows in all tables.
  private func createStore() throws {
    var server = try start("first.db")
    func session(_ name: String) -> SessionClient {
      let parts = name.split(separator: "/")
      return SessionClient(server.client(), "/v1/reactors/\(parts[0])/sessions/\(parts[1])")
    }
    for number in 1...6 {
      let body = #"{"pay":{"_0":\#(number),"amount":5,"to":"other","by":"send"}}"#
      #expect(
        try session("purse/own").post(body, ["Idempotency-Key": "\"\(number)\""]).status == 200)
      try session("ledger/book").post(
        #"{"enter":\#(number)}"#, ["Idempotency-Key": "\"\(number)\""])
      try session("shelf/top").post(#"{"tag":["a","b\#(number)"]}"#)
    }
    try session("purse/own").post(#"{"pay":{"_0":7,"amount":5,"to":"bad id","by":"timer"}}"#)
    try session("alarm/clock").post(
      #"{"arm":{"from":0,"count":4,"delay":86400000,"step":1000}}"#)
    #expect(
      try eventually {
        try server.client().get("/v1/reactors/purse/failures").text.contains("invalidID")
      })
    // The service writes a snapshot after 1,000 mutations, at the latest at its end.
    for _ in 1...2 {
      let actions = Array(repeating: #"{"enter":1}"#, count: 750).joined(separator: ",")
      #expect(try session("ledger/book").post("[\(actions)]").status == 200)
    }
    try server.stop()
    server = try start("first.db")
    try session("faulty/waiting").post(#"{"add":1}"#)
    try session("faulty/waiting").post(
      #"{"waitForFile":"\#(folder["none"])"}"#, ["Prefer": "respond-async"])
    try session("ledger/book").post(#"{"enter":7}"#)
    server.process.kill()
    try server.process.wait()
    try sql("first.db", "VACUUM INTO '\(folder["base.db"])'")
    for table in Self.tables {
      #expect(try sql("base.db", "SELECT count(*) > 0 FROM \(table)") == "1\n", "\(table)")
    }
  }

  @discardableResult
  private func sql(_ store: String, _ statement: String) throws -> String {
    let shell = try ChildProcess("/usr/bin/sqlite3", [folder[store], statement])
    try shell.wait()
    return shell.standardOutput
  }

  /// Changes one byte of a text, or one bit of a number, in a row.
  ///
  /// - Returns: The table and the column.
  private func damage(
    _ store: String, _ columns: [String: [(name: String, isText: Bool, isKey: Bool)]],
    _ random: inout SplitMix64
  ) throws -> (table: String, column: String) {
    let table = Self.tables.randomElement(using: &random) ?? ""
    let all = try #require(columns[table])
    let column = try #require(all.randomElement(using: &random))
    let keys = all.filter(\.isKey).map(\.name).joined(separator: ", ")
    let place = Int.random(in: 0...1_000_000, using: &random)
    let bit = "\(1 << Int.random(in: 0...62, using: &random))"
    let byte = String(format: "%02x", Int.random(in: 0...255, using: &random))
    let name = column.name
    let text =
      "CAST(substr(CAST(\(name) AS BLOB), 1, \(place) % max(1, length(\(name)))) || x'\(byte)' "
      + "|| substr(CAST(\(name) AS BLOB), 2 + \(place) % max(1, length(\(name)))) AS TEXT)"
    let value = column.isText ? text : "(\(name) | \(bit)) - (\(name) & \(bit))"
    // A session with many rows is not more frequent than the others.
    let rows =
      "(SELECT *, row_number() OVER (PARTITION BY session) AS n FROM \(table)) WHERE n <= 6"
    try sql(
      store,
      "UPDATE OR IGNORE \(table) SET \(name) = \(value) WHERE (\(keys)) = (SELECT \(keys) "
        + "FROM \(rows) LIMIT 1 OFFSET (SELECT \(place) % max(1, count(*)) FROM \(rows)))")
    return (table, "\(table).\(name)")
  }

  private func columns() throws -> [String: [(name: String, isText: Bool, isKey: Bool)]] {
    try Self.tables.reduce(into: [:]) { columns, table in
      columns[table] = try sql(
        "base.db", "SELECT name, type, pk FROM pragma_table_info('\(table)')"
      )
      .split(separator: "\n").map { line in
        let words = line.split(separator: "|")
        return (String(words[0]), words[1] == "TEXT", words[2] != "0")
      }
    }
  }

  // MARK: Commands

  private func run(_ command: String) throws -> (code: ChildProcess.Exit, output: String) {
    let program = try ReactordProcess.path(of: "faulty")
    let process = try ChildProcess("/bin/sh", ["-c", "'\(program)' log \(command)"])
    let code = try process.wait()
    return (code, process.standardOutput + process.standardError)
  }

  /// The lines of each session of an export, by its name in JSON.
  private func export(_ store: String) throws -> [String: [String]] {
    let result = try run("export --store 'sqlite:\(folder[store])' > '\(folder["\(store).jsonl"])'")
    #expect(result.code == .code(0), "\(store): \(result.output)")
    var sessions: [String: [String]] = [:]
    var name: String?
    let bytes = try Data(contentsOf: URL(filePath: folder["\(store).jsonl"]))
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      for prefix in [#"{"session":""#, #"{"damaged":"session","name":""#]
      where line.hasPrefix(prefix) {
        name = line.dropFirst(prefix.count).prefix { $0 != "\"" }.description
      }
      if let name { sessions[name, default: []].append(String(line)) }
    }
    return sessions
  }

  // MARK: The service

  private struct View: Equatable {
    var changes: [JSON]
    var states: [String: JSON]
  }

  /// Reads the feed, the lists and the States of sessions.
  private func view(_ store: String, _ names: some Sequence<String>) throws -> View {
    let server = try start(store)
    var changes: [JSON] = []
    var page: String? = "/v1/changes?after=0&limit=7"
    while let path = page {
      let response = try server.client().get(path)
      #expect(response.status == 200, "\(store): \(response.text)")
      changes += try response.json.array ?? []
      page = response.nextPage
    }
    var states: [String: JSON] = [:]
    var listed: Set<String> = []
    for reactor in Set(names.map { $0.prefix { $0 != "/" } }) {
      let list = try server.client().get("/v1/reactors/\(reactor)/sessions")
      #expect(list.status == 200, "\(store): \(list.text)")
      #expect(try server.client().get("/v1/reactors/\(reactor)/failures").status == 200)
      for session in try list.json["sessions"]?.array ?? [] {
        listed.insert("\(reactor)/\(session["id"]?.string ?? "")")
      }
    }
    for name in names {
      let parts = name.split(separator: "/")
      let path = "/v1/reactors/\(parts[0])/sessions/\(parts[1])/state"
      let response = try server.client().get(path)
      if response.status == 200, listed.contains(name) {
        states[name] = try response.json
      } else {
        #expect([500, 503].contains(response.status), "\(store) \(name): \(response.text)")
        // A client has ten lines per second: repeat a request whose line was beyond.
        let isLogged = try eventually {
          _ = try server.client().get(path)
          return server.standardError.contains("session=\(parts[1])")
        }
        #expect(isLogged, "\(store) \(name)")
      }
    }
    #expect(try server.client().get("/healthz").status == 200)
    server.process.kill()
    try server.process.wait()
    return View(changes: changes, states: states)
  }

  @Test func `rows without damage are as before, and each session that is left out is named`()
    throws
  {
    try createStore()
    let base = try export("base.db")
    try sql("base.db", "VACUUM INTO '\(folder["served.db"])'")
    let served = try view("served.db", base.keys)
    #expect(Set(served.states.keys) == Set(base.keys))
    let columns = try columns()
    var random = SplitMix64(seed: UInt64.random(in: 1...10_000))
    for index in 0..<Self.cases {
      let store = "\(index).db"
      try sql("base.db", "VACUUM INTO '\(folder[store])'")
      let damages = try (0..<3).map { _ in try damage(store, columns, &random) }
      try check(store, base, served, damages: damages)
    }
  }

  private func check(
    _ store: String, _ base: [String: [String]], _ served: View,
    damages: [(table: String, column: String)]
  ) throws {
    let context: Comment = "\(damages.map(\.column))"
    let damaged = try export(store)
    let sound = base.filter { damaged[$0.key] == $0.value }
    // A row with the name of another session changes both sessions.
    let touched = damages.map { $0.column.hasSuffix(".session") ? 2 : 1 }.reduce(0, +)
    #expect(sound.count >= base.count - touched, context)
    // A strict import names what it rejects, and the other one imports all sessions that are sound.
    let file = folder["\(store).jsonl"]
    let strict = try run("import --store 'sqlite:\(folder["strict-\(store)"])' < '\(file)'")
    #expect([.code(0), .code(65)].contains(strict.code), "\(context) \(strict.output)")
    let skipping = try run(
      "import --store 'sqlite:\(folder["new-\(store)"])' --damaged skip < '\(file)'")
    #expect(skipping.code == .code(0), "\(context) \(skipping.output)")
    #expect(skipping.output.contains("left out: ") == (strict.code != .code(0)), context)
    let imported = try export("new-\(store)")
    for (name, lines) in sound { #expect(imported[name] == lines, "\(context) \(name)") }
    // Other characters are escaped differently in JSON and in the text.
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_ ")
    for name in damaged.keys where imported[name] == nil && plain.isSuperset(of: name) {
      #expect(skipping.output.contains(name), "\(context) \(name): \(skipping.output)")
    }
    let verification = try run("verify --store 'sqlite:\(folder[store])'")
    #expect([0, 3, 4, 5, 65].map { .code($0) }.contains(verification.code), context)
    // The service.
    let seen = try view(store, sound.keys)
    // An export has no checksums.
    let checksums = damages.count {
      $0.column.hasSuffix("checksum") || $0.column.hasSuffix("chain")
    }
    #expect(seen.states.count >= sound.count - checksums, context)
    for (name, state) in seen.states { #expect(served.states[name] == state, "\(context) \(name)") }
    guard !damages.contains(where: { Self.owners.contains($0.column) }) else { return }
    // A damaged timer can be due.
    #expect(seen.changes.count >= served.changes.count, context)
    let differing = zip(seen.changes, served.changes).count { $0 != $1 }
    #expect(differing <= damages.count { $0.table == "changes" || $0.table == "sessions" }, context)
  }
}
