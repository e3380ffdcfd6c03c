import ReactorCoding
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `GET /v1/changes` and `/v1/changes/events`.
struct ChangeTests {
  private let log = MemoryLog(changeRetention: .seconds(3_600))
  private let service: Service

  init() {
    service = Service(log: log)
  }

  private func act(_ id: String, _ body: String = #"{"add":1}"#) throws {
    _ = try service.ask("POST", "\(Service.root)/\(id)/actions", body: body)
  }

  private func changes(_ query: String = "") throws -> [JSONValue] {
    let text = try service.ask("GET", "/v1/changes?\(query)").text
    let list = try JSONDocument(parsing: Array(text.utf8)).root.elements
    return try #require(list).map { JSONValue($0) }
  }

  /// A change in short form: `changed a 0-1`.
  private func short(_ change: JSONValue) -> String {
    func text(_ name: String) -> String {
      guard let value = change[name] else { return "" }
      if case .string(let text) = value { return text }
      return String(decoding: value.bytes, as: UTF8.self)
    }
    let range = change["from"] == nil ? "" : " \(text("from"))-\(text("to"))"
    return text("kind") + " " + text(change["session"] == nil ? "name" : "session") + range
  }

  private func ids(_ changes: [JSONValue]) -> [String] {
    changes.compactMap { if case .string(let id)? = $0["id"] { id } else { nil } }
  }

  @Test func `each commit is one change, in the order of commits`() throws {
    try act("a")
    try act("b", #"[{"add":1},{"add":1}]"#)
    _ = try service.ask("PUT", "/v1/globals/motto", body: "1")
    _ = try service.ask(
      "POST", Service.root, body: #"{"id":"c","from":{"session":"b","version":1}}"#)
    _ = try service.ask("DELETE", "\(Service.root)/a")
    let changes = try changes()
    #expect(
      changes.map(short) == [
        "began a", "changed a 0-1", "began b", "changed b 0-2", "began c", "ended a",
      ])
    #expect(changes[4]["forkedFrom"] == ["session": "b", "version": 1])
    #expect(changes[1]["reactor"] == "number")
  }

  @Test func `pages follow each other without a gap`() throws {
    for _ in 0..<5 { try act("a") }
    var found: [JSONValue] = []
    var target: String? = "/v1/changes?limit=2"
    while let next = target {
      let response = try service.ask("GET", next)
      let page = try #require(JSONDocument(parsing: Array(response.text.utf8)).root.elements)
      #expect((1...2).contains(page.count))
      found += page.map { JSONValue($0) }
      target = response[field: "Link"].map {
        String($0.dropFirst().prefix { $0 != ">" })
      }
    }
    #expect(found == (try changes()))
    let last = try #require(ids(found).last)
    #expect(try changes("after=\(last)") == [])
    #expect(try changes("after=0") == found)
  }

  @Test func `a page with States has few changes, and a stream sends all`() throws {
    for _ in 0..<70 { try act("a") }
    #expect(try changes("limit=1000").count == 71)
    let page = try service.ask("GET", "/v1/changes?with=state&limit=1000")
    #expect(try JSONDocument(parsing: Array(page.text.utf8)).root.elements?.count == 32)
    #expect(page[field: "Link"]?.contains("with=state") == true)
    #expect(try read(try watch("with=state&after=0")).count == 71)
  }

  @Test func `a page can be one change per line`() throws {
    try act("a")
    let response = try service.ask("GET", "/v1/changes", [(.accept, "application/x-ndjson")])
    #expect(response[field: "Content-Type"] == "application/x-ndjson")
    #expect(response.text.split(separator: "\n").count == 2)
  }

  @Test func `filters select reactors and sessions, and add entries or the State`() throws {
    try act("a")
    try act("b", #"[{"add":1},{"label":"x"}]"#)
    #expect(try changes("reactor=number&session=b").map(short) == ["began b", "changed b 0-2"])
    let entries = try changes("reactor=number&session=b&with=entries")
    #expect(entries[0]["entries"] == nil)
    let text = String(decoding: entries[1]["entries"]?.bytes ?? [], as: UTF8.self)
    #expect(text.contains(#""version":1"#))
    #expect(text.contains(#""mutation":{"label":"x"}"#))
    try act("b")
    let states = try changes("with=state")
    #expect(
      states.map { $0["state"] } == [
        ["value": 0, "label": "none"], ["value": 1, "label": "none"],
        ["value": 0, "label": "none"], ["value": 1, "label": "x"], ["value": 2, "label": "x"],
      ])
    _ = try service.ask("DELETE", "\(Service.root)/b")
    #expect(try changes("with=state&reactor=number&session=b").allSatisfy { $0["state"] == nil })
  }

  @Test func `an id that is not retained is 410 with the oldest`() throws {
    try act("a")
    for id in ["other.1", "\(log.changes?.store ?? "").99"] {
      let response = try service.ask("GET", "/v1/changes?after=\(id)")
      #expect(response.problem == "410 cursor-expired")
      #expect(response.text.contains(#""oldest":"\#(log.changes?.store ?? "").0""#))
    }
  }

  @Test(arguments: [
    ("after=x", "400 invalid-parameter"), ("after=", "400 invalid-parameter"),
    ("limit=0", "400 invalid-parameter"), ("limit=1001", "400 invalid-parameter"),
    ("session=a", "400 invalid-parameter"), ("with=all", "400 invalid-parameter"),
    ("reactor=other", "404 unknown-reactor"),
    ("reactor=number&session=%20", "400 invalid-session-id"),
  ])
  func `bad parameters are rejected`(query: String, problem: String) throws {
    #expect(try service.ask("GET", "/v1/changes?\(query)").problem == problem)
  }

  @Test func `a reactor of which a client can read nothing is unknown to it`() throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act","to":"other/{sub}"}]"#)
    let service = Service(log: log, settings: { $0.authentication = configuration })
    for address in ["/v1/changes", "/v1/changes/events"] {
      let response = try service.ask(
        "GET", "\(address)?reactor=number",
        [(.authorization, "Bearer \(SignedToken.make(#"{"sub":"ada"}"#))")])
      #expect(response.problem == "404 unknown-reactor")
    }
  }

  @Test func `without a retention the addresses name the setting`() throws {
    let service = Service()
    for address in ["/v1/changes", "/v1/changes/events"] {
      let response = try service.ask("GET", address)
      #expect(response.problem == "404 changes-disabled")
      #expect(response.text.contains("changes.keep"))
    }
  }

  // MARK: The stream

  private func watch(
    _ query: String = "", _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> Reader {
    try service.open("/v1/changes/events?\(query)", headers)
  }

  /// The short forms of the available events.
  private func read(_ reader: Reader) throws -> [String] {
    var events: [String] = []
    // `next()` returns nothing while the store is read for further changes, so call it again.
    while let chunk = reader.next() ?? reader.next() {
      for block in chunk.split(separator: "\n\n") {
        let data = block.split(separator: "\n").first { $0.hasPrefix("data: ") }?.dropFirst(6)
        guard let data, block.hasPrefix("id: ") else {
          if let data { events.append("\(block.split(separator: "\n")[0]) \(data)") }
          continue
        }
        events.append(short(JSONValue(try JSONDocument(parsing: Array(data.utf8)).root)))
      }
    }
    return events
  }

  @Test func `a stream begins with the next commit, or where the client asks`() throws {
    try act("a")
    let live = try watch()
    #expect(try read(live) == [])
    #expect(live.lastID != nil)
    let all = try watch("after=0")
    #expect(try read(all) == ["began a", "changed a 0-1"])
    try act("a")
    #expect(try read(live) == ["changed a 1-2"])
    #expect(try read(all) == ["changed a 1-2"])
    let id = try #require(all.lastID)
    try act("b")
    #expect(try read(try watch("", [(.lastEventID, id)])) == ["began b", "changed b 0-1"])
    #expect(try read(try watch("last_event_id=\(id)")) == ["began b", "changed b 0-1"])
    live.close()
    all.close()
  }

  @Test func `an id that cannot be resumed causes a reset, then the retained changes`() throws {
    try act("a")
    let store = try #require(log.changes?.store)
    for id in ["x", "other.1", "\(store).99"] {
      let reader = try watch("", [(.lastEventID, id)])
      #expect(
        try read(reader) == [#"event: reset {"oldest":"\#(store).0"}"#, "began a", "changed a 0-1"])
    }
    #expect(try service.ask("GET", "/v1/changes/events?after=x").status == 400)
  }

  @Test func `a client whose changes are rare resumes after the others`() throws {
    let reader = try watch("reactor=number&session=rare")
    _ = try read(reader)
    for _ in 0..<400 { try act("busy") }
    #expect(try read(reader) == [])
    let id = try #require(reader.lastID.flatMap { ChangeID($0) })
    #expect(id.number > 200)
    try act("rare")
    #expect(try read(reader) == ["began rare", "changed rare 0-1"])
  }

  @Test func `the memory of a stream does not grow with the changes that it has not taken`() throws
  {
    let reader = try watch("after=0")
    for _ in 0..<2_000 { try act("a") }
    var pages = 0
    while reader.next() != nil || reader.next() != nil { pages += 1 }
    #expect(pages >= 2_000 / 256)
  }

  @Test func `the changes that a client has not read count as retained`() throws {
    let reader = try watch("after=0")
    for _ in 0..<200 { try act("a") }
    _ = reader.next()
    #expect(reader.retainedBytes == 0)
    // This call begins to read the store.
    #expect(reader.next() == nil)
    #expect(reader.retainedBytes > 200 * 100)
    _ = reader.next()
    #expect(reader.retainedBytes == 0)
  }

  @Test func `a draining service ends the stream`() throws {
    let reader = try watch()
    _ = try read(reader)
    service.api.drain()
    #expect(reader.next()?.hasPrefix("event: draining") == true)
    #expect(reader.next() == nil)
    #expect(reader.isFinished)
  }

  @Test func `a client receives the changes of the sessions that it may read`() throws {
    let service = Service(
      log: log,
      settings: {
        $0.authentication = .tokens(
          """
          aaaaaaaaaaaaaaaa read number
          bbbbbbbbbbbbbbbb read other
          """)
      })
    try act("a")
    func count(_ token: String) throws -> Int? {
      let response = try service.ask(
        "GET", "/v1/changes", [(.authorization, "Bearer \(token)")])
      return try JSONDocument(parsing: Array(response.text.utf8)).root.elements?.count
    }
    #expect(try count("aaaaaaaaaaaaaaaa") == 2)
    #expect(try count("bbbbbbbbbbbbbbbb") == 0)
    #expect(try service.ask("GET", "/v1/changes").status == 401)
  }
}
