import ReactorCoding
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Places that take a cursor × forms in which services and proxies write one.
struct WrittenCursorTests {
  /// A form, with `C` in the place of the cursor.
  static let quoted = [
    #""C""#, #"W/"C""#, #""C+gzip""#, #""C-gzip""#, #"W/"C+gzip""#, #""C--gzip""#, #""C+br""#,
    #""C;zstd""#, #""C+gzip-gzip""#, #"  "C"  "#,
  ]
  static let bare = ["C", " C\t", "C+gzip", "C-gzip", "C gzip"]
  static let lists = [#""other-7", "C""#, #"W/"x-1+gzip",W/"C-gzip""#, #""C", "other-7""#]

  private let service = Service(log: MemoryLog(changeRetention: .seconds(3_600)))

  init() throws {
    try service.addOnes(3)
    let set = try service.ask("PUT", "/v1/globals/motto", body: #""hello""#)
    #expect(set.status == 200)
  }

  private func written(_ form: String, _ cursor: String) -> String {
    form.replacing("C", with: cursor)
  }

  private func inQuery(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: (quoted + lists).filter { !$0.contains("W/") })
  func `If-Match, which compares strongly`(form: String) throws {
    let cursor = try service.cursor(3)
    let old = try service.act(
      #"{"add":1}"#, [(.ifMatch, written(form, try service.cursor(2)))])
    #expect(old.problem == "412 version-mismatch")
    #expect(try service.act(#"{"add":1}"#, [(.ifMatch, written(form, cursor))]).status == 200)
  }

  @Test(arguments: quoted + lists)
  func `If-None-Match, of a State, a part, an earlier version and a global`(form: String) throws {
    let state = "\(Service.root)/demo"
    let epoch = try #require(
      try service.ask("GET", "/v1/globals/motto")[field: "ETag"]?.filter { $0 != "\"" })
    for (target, current) in [
      (state, try service.cursor(3)), (state + "/state?select=/value", try service.cursor(3)),
      (state + "?version=2", try service.cursor(2)), ("/v1/globals/motto", epoch),
    ] {
      for method in ["GET", "HEAD"] {
        let known = try service.ask(method, target, [(.ifNoneMatch, written(form, current))])
        #expect(known.status == 304, "\(method) \(target)")
        let other = try service.ask(method, target, [(.ifNoneMatch, written(form, "other-3"))])
        #expect(other.status == 200, "\(method) \(target)")
      }
    }
  }

  /// Checks that streams which begin after a position send no State, and those after an earlier one do.
  private func expectResumption(
    _ address: String, _ form: String, at current: String, before: String,
    _ query: String = ""
  ) throws {
    for (id, isCurrent) in [(current, true), (before, false)] {
      let text = written(form, id)
      let separator = address.contains("?") ? "&" : "?"
      for reader in [
        try service.open(
          address + (query.isEmpty ? "" : separator + query), [(.lastEventID, text)]),
        try service.open("\(address)\(separator)last_event_id=\(inQuery(text))\(query)"),
      ] {
        let events = reader.read()
        #expect(!events.contains { $0.hasPrefix("reset") }, "\(address) \(text)")
        #expect(events.contains { $0.contains("{") } != isCurrent, "\(address) \(text): \(events)")
        reader.close()
      }
    }
  }

  @Test(arguments: quoted + bare)
  func `Last-Event-ID and last_event_id of a session's stream`(form: String) throws {
    try expectResumption(
      "\(Service.root)/demo/events", form, at: service.cursor(3), before: service.cursor(1))
    try expectResumption(
      "\(Service.root)/demo/events?delta=patch", form, at: service.cursor(3),
      before: service.cursor(1))
    let tag = CompositeCursor.tag(of: "number/demo")
    try expectResumption(
      "\(Service.root)/demo/events", form, at: "\(tag).\(service.cursor(3))",
      before: "abcde.x-1~\(tag).\(service.cursor(1))")
  }

  @Test(arguments: quoted + bare)
  func `a replay of every version begins after the cursor`(form: String) throws {
    let text = written(form, try service.cursor(2))
    let reader = try service.watch("replay=all", [(.lastEventID, text)])
    #expect(reader.read().filter { $0.contains("value") }.map { $0.first } == ["3"])
    reader.close()
  }

  @Test(arguments: quoted + bare)
  func `Last-Event-ID and last_event_id of a global's stream`(form: String) throws {
    let tag = try #require(try service.ask("GET", "/v1/globals/motto")[field: "ETag"])
    let current = tag.filter { $0 != "\"" }
    let epoch = current.prefix { $0 != "-" }
    for (id, isCurrent) in [(current, true), ("\(epoch)-0", false)] {
      let reader = try service.open(
        "/v1/globals/motto/events", [(.lastEventID, written(form, id))])
      let events = reader.read()
      #expect(!events.contains { $0.hasPrefix("reset") })
      #expect(events.contains { $0.contains("hello") } != isCurrent)
      reader.close()
    }
  }

  @Test(arguments: quoted + bare)
  func `the id of a stream of several sessions, and a cursor on it`(form: String) throws {
    let address = "/v1/events?session=number/demo"
    let tag = CompositeCursor.tag(of: "number/demo")
    let (current, before) = (try service.cursor(3), try service.cursor(1))
    try expectResumption(address, form, at: "\(tag).\(current)", before: "\(tag).\(before)")
    try expectResumption(address, form, at: current, before: before)
    // Each cursor of an id can have a form of its own.
    let parts = "\(tag).\(written(form, current))~abcde.\(written(form, "x-1"))"
    try expectResumption(address, "C", at: parts, before: "\(tag).\(before)")
  }

  @Test(arguments: quoted + bare)
  func `the ids of changes`(form: String) throws {
    let first = try service.ask("GET", "/v1/changes?limit=1")
    let link = try #require(first[field: "Link"])
    let id = String(link.split(separator: "after=")[1].prefix { $0 != "&" })
    let page = try service.ask("GET", "/v1/changes?after=\(inQuery(written(form, id)))")
    #expect(page.status == 200)
    #expect(page.text == (try service.ask("GET", "/v1/changes?after=\(id)").text))
    for reader in [
      try service.open("/v1/changes/events", [(.lastEventID, written(form, id))]),
      try service.open("/v1/changes/events?last_event_id=\(inQuery(written(form, id)))"),
      try service.open("/v1/changes/events?after=\(inQuery(written(form, id)))"),
    ] {
      var events: [String] = []
      for _ in 0..<3 { events += reader.read() }
      #expect(!events.contains { $0.hasPrefix("reset") })
      #expect(events.contains { $0.contains("\"changed\"") })
      reader.close()
    }
  }

  @Test(arguments: ["x", "\"", "W/", "W/x-1", #"""#, "+gzip", "-gzip", #"W/"x"#, "gzip"])
  func `text that is not a cursor is still none`(text: String) throws {
    let reader = try service.watch("", [(.lastEventID, text)])
    #expect(reader.read().contains { $0.hasPrefix("reset") })
    reader.close()
    #expect(Cursor(PositionText.plain(text)) == nil)
  }

  @Test func `the parser takes time in proportion to the text`() {
    for text in ["+gzip", "-", "\"", "W/\"", "~", "abcde.x-1~", " ", "gzip-"] {
      let long = String(repeating: text, count: 100_000)
      _ = PositionText.plain(long)
      _ = CompositeCursor(long)?.position(in: "x", of: "counter/a")
    }
  }
}
