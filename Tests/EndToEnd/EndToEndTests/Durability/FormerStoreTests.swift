import Foundation
import Testing

/// A store of the release before, which had its own order of sets, and other forms of `Date`, `URL`, `Data`
/// and `Decimal`.
///
/// `FormerStore` has the store as SQL, its export, and the States that the former release showed, of the
/// reactors in `ArchiveReactor.swift`. The former process was killed while an action ran. Retention has
/// removed the first entries of one session.
@Suite(.blocking) struct FormerStoreTests {
  private static let files = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "FormerStore")

  private let folder: TemporaryFolder
  private let former: JSON

  init() throws {
    folder = try TemporaryFolder()
    former = try JSON(
      parsing: String(contentsOf: Self.files.appending(path: "states.json"), encoding: .utf8))
    let shell = try ChildProcess(
      "/bin/sh",
      [
        "-c",
        // Outcomes are retained for a day.
        #"{ cat "$1"; echo "UPDATE outcomes SET at = unixepoch() * 1000;"; } | sqlite3 "$0""#,
        folder["log.db"], Self.files.path + "/store.sql",
      ])
    #expect(try shell.wait() == .code(0))
  }

  private func start(_ flags: String..., store: String = "log.db") throws -> ReactordProcess {
    try ReactordProcess(["--store", "sqlite:" + folder[store]] + flags, program: "faulty")
  }

  private func run(
    _ words: String..., store: String = "log.db", input: String? = nil
  ) throws -> (code: Int32, output: String) {
    let source = input ?? "/dev/null"
    let process = try ReactordProcess.launch(
      ["log"] + words + ["--store", "sqlite:" + folder[store]], program: "faulty",
      under: ["/bin/sh", "-c", #"file="$1"; shift; exec "$@" < "$file""#, "sh", source])
    guard case .code(let code) = try process.wait() else { return (-1, process.standardError) }
    return (code, process.standardOutput + process.standardError)
  }

  /// Ends a service, whose interrupted action never ends.
  private func kill(_ server: ReactordProcess) throws {
    server.process.kill()
    try server.process.wait()
  }

  // MARK: The former sessions

  private struct FormerSession {
    let path: String
    let cursor: Cursor
    let first: Int
    let states: [JSON]
    let actions: [JSON]
  }

  private func sessions() throws -> [FormerSession] {
    try ["archive/plain", "archive/short", "archive/held", "room/r"].map { name in
      let session = try #require(former[name])
      let parts = name.split(separator: "/")
      return FormerSession(
        path: "/v1/reactors/\(parts[0])/sessions/\(parts[1])", cursor: try cursor(of: session),
        first: try #require(session["first"]?.int), states: try #require(session["states"]?.array),
        actions: session["actions"]?.array ?? [])
    }
  }

  private func cursor(of value: JSON) throws -> Cursor {
    try #require(value["cursor"]?.string.flatMap { Cursor(String($0.dropFirst().dropLast())) })
  }

  /// A value without its form: what both releases have written of it is equal.
  private static func value(_ json: JSON, _ name: String = "") -> JSON {
    switch (name, json) {
    case ("address", .object): return json["relative"] ?? nil
    case ("content", .array(let bytes)):
      return .string(Data(bytes.map { UInt8($0.int ?? 0) }).base64EncodedString())
    case ("time", .string(let text)):
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
      return .number((try? style.parse(text))?.timeIntervalSinceReferenceDate ?? .nan)
    case ("price", .object):
      let words = json["mantissa"]?.array ?? []
      let digits = words.reversed().reduce(0) { $0 * 65_536 + ($1.int ?? 0) }
      let price = Double("\(digits)e\(json["exponent"]?.int ?? 0)") ?? .nan
      return .number(json["isNegative"] == true ? -price : price)
    case ("labels", .array(let elements)): return sorted(elements)
    case ("places", .array(let parts)):
      return sorted(
        stride(from: 0, to: parts.count, by: 2).map {
          [parts[$0]["room"] ?? nil, parts[$0]["row"] ?? nil, sorted(parts[$0 + 1].array ?? [])]
        })
    case (_, .object(let members)):
      return .object(Dictionary(uniqueKeysWithValues: members.map { ($0, value($1, $0)) }))
    default: return json
    }
  }

  private static func sorted(_ elements: [JSON]) -> JSON {
    .array(elements.sorted { $0.text < $1.text })
  }

  private func rows() throws -> String {
    let shell = try ChildProcess(
      "/usr/bin/sqlite3",
      [
        folder["log.db"],
        """
        SELECT count(*) FROM mutations; SELECT count(*) FROM accepted; SELECT count(*) FROM timers;
        SELECT count(*) FROM outcomes; SELECT value FROM shared;
        """,
      ])
    try shell.wait()
    return shell.standardOutput
  }

  /// Checks that a service shows each State of the former release.
  private func check(_ server: ReactordProcess) throws {
    for session in try sessions() {
      let client = SessionClient(server.client(), session.path)
      for (index, state) in session.states.enumerated() {
        let shown = try client.state("?version=\(session.first + index)").json
        #expect(Self.value(shown) == Self.value(state), "\(session.path) \(index)")
      }
      let last = try client.state()
      #expect(last.cursor?.version == session.cursor.version)
      #expect(Self.value(try last.json) == session.states.last.map { Self.value($0) })
    }
    let global = try server.client().get("/v1/globals/catalogue")
    #expect(
      Self.value(["catalogue": try global.json])
        == Self.value(["catalogue": try #require(former["global"]?["value"])]))
  }

  // MARK: Tests

  @Test func `the store has the States that it had, also paused and after a restart`() throws {
    let before = try rows()
    #expect(try run("check").code == 0)
    let paused = try start("--paused")
    try check(paused)
    try paused.stop()
    #expect(try rows() == before)
    for _ in 0..<2 {
      let server = try start()
      try check(server)
      let plain = SessionClient(server.client(), "/v1/reactors/archive/sessions/plain")
      let timers = try server.client().get(plain.path + "/timers").json["timers"]?.array
      #expect(timers?.count == 1)
      #expect(timers?.first?["unreadable"] == false)
      let held = SessionClient(server.client(), "/v1/reactors/archive/sessions/held")
      #expect(try eventually { try held.effects().count == 1 })
      #expect(try held.effects().first?["unreadable"] == false)
      try kill(server)
    }
    let verified = try run("verify")
    #expect(verified.code == 0, "\(verified)")
  }

  @Test func `the migration adds to the tables, and needs no space for a copy`() throws {
    let migrated = try run("migrate")
    #expect(migrated.code == 0)
    let numbers = migrated.output.split { !$0.isNumber }.compactMap { Int($0) }
    #expect(numbers.first == 8)
    #expect(numbers[3] == numbers[2] + (1 << 20), "\(migrated.output)")
    try check(try start())
  }

  @Test func `the same actions lead to States with the same bytes`() throws {
    let server = try start()
    for session in try sessions() where !session.actions.isEmpty {
      let old = SessionClient(server.client(), session.path)
      let new = SessionClient(server.client(), session.path + "-again")
      let states = try (0...session.cursor.version).map { try old.state("?version=\($0)").text }
      let fork = try old.client.send(
        "POST", old.siblings, json: #"{"from":{"session":"\#(old.id)","version":1}}"#)
      #expect(fork.text == states[1])
      let copy = try #require(fork["Location"])
      for (index, action) in session.actions.enumerated() {
        let forked = try SessionClient(new.client, copy).post(action.text)
        #expect(forked.text == states[index + 2])
      }
    }
  }

  @Test func `a client with a former document gets the whole State once, and then patches`() throws
  {
    let server = try start()
    let session = try #require(try sessions().first)
    let client = SessionClient(server.client(), session.path)
    for version in [session.cursor.version - 2, session.cursor.version] {
      let id = session.cursor.at(version).description
      let stream = try client.events("?delta=patch", ["Last-Event-ID": id])
      #expect(try stream.nextEvent()?.event == "reset")
      let whole = try #require(try stream.nextEvent())
      #expect(whole.event == "state")
      let state = try client.state("", ["If-None-Match": "\"\(id)\""])
      #expect(state.status == 200)
      #expect(whole.data == state.text)
      let former = try client.state("?version=\(version)", ["If-None-Match": "\"\(id)\""])
      #expect(former.status == 200)
    }
    let next = try client.post(session.actions[0].text)
    let stream = try client.events(
      "?delta=patch", ["Last-Event-ID": try #require(next.cursor).description])
    let later = try client.post(session.actions[1].text)
    let patch = try #require(try stream.nextEvent())
    #expect(patch.event == "patch")
    #expect(try next.json.patched(by: patch.json) == later.json)
    #expect(try client.state("", ["If-None-Match": try #require(later["ETag"])]).status == 304)
  }

  @Test func `a client with a former document of a global gets the whole value, and then patches`()
    throws
  {
    let path = "/v1/globals/catalogue"
    let cursor = try cursor(of: try #require(former["global"]))
    let value = try #require(former["archive/plain"]?["actions"]?.array?.first?["put"]?["_0"])
    let server = try start()
    let client = server.client()
    let stream = try EventStream(
      port: server.port, path + "/events?delta=patch", ["Last-Event-ID": cursor.description])
    #expect(try stream.nextEvent()?.event == "reset")
    let whole = try #require(try stream.nextEvent())
    let state = try client.get(path, ["If-None-Match": "\"\(cursor)\""])
    #expect(state.status == 200)
    #expect(whole.data == state.text)
    let next = try client.send("PUT", path, json: value.text)
    let patch = try #require(try stream.nextEvent())
    #expect(patch.event == "patch")
    #expect(try whole.json.patched(by: patch.json) == next.json)
    let again = try EventStream(
      port: server.port, path + "/events?delta=patch", ["Last-Event-ID": cursor.description])
    #expect(try again.nextEvent()?.event == "reset")
    #expect(try again.nextEvent()?.data == next.text)
    #expect(
      try client.get(path, ["If-None-Match": try #require(next["ETag"])]).status == 304)
    try kill(server)
    // The stored value has the form of this release now.
    let later = try start()
    let resumed = try EventStream(
      port: later.port, path + "/events?delta=patch",
      ["Last-Event-ID": try #require(next.cursor).description])
    let back = try later.client().send("PUT", path, json: "null")
    let last = try #require(try resumed.nextEvent())
    #expect(last.event == "patch")
    #expect(try next.json.patched(by: last.json) == back.json)
  }

  @Test func `an export of the former release is imported, and exported again`() throws {
    let imported = try run(
      "import", store: "new.db", input: Self.files.path + "/export.jsonl")
    #expect(imported.code == 0, "\(imported)")
    let first = try start(store: "new.db")
    try check(first)
    try kill(first)
    let export = try run("export", store: "new.db")
    #expect(export.code == 0)
    try export.output.write(toFile: folder["again.jsonl"], atomically: true, encoding: .utf8)
    #expect(try run("import", store: "again.db", input: folder["again.jsonl"]).code == 0)
    let second = try start(store: "again.db")
    try check(second)
    try kill(second)
    #expect(try run("verify", store: "again.db").code == 0)
  }
}
