import ReactorCoding
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `old=true`, `delta=merge` and `format=datastar`.
struct StreamFormatTests {
  private let service = Service(settings: { $0.limits.streamBuffer = 4 })

  private func signals(_ json: String) -> String { "datastar-patch-signals signals \(json)" }

  // MARK: Old and new values

  @Test func `the first event has no old value, and each other the new value before`() throws {
    let reader = try service.watch("select=/value&old=true")
    #expect(reader.read() == ["retry", #"change {"new":0}"#])
    try service.addOnes(2)
    #expect(reader.read() == [#"change {"old":0,"new":1}"#, #"change {"old":1,"new":2}"#])
    try service.act(#"{"label":"a"}"#)
    #expect(reader.read() == [])
    #expect(reader.ids == [0, 1, 2])
  }

  @Test func `a resumed stream begins with the value at the cursor`() throws {
    try service.addOnes(5)
    let reader = try service.watch(
      "select=/value&old=true", [(.lastEventID, try service.cursor(2))])
    #expect(reader.read() == ["retry", #"change {"old":2,"new":5}"#])
  }

  @Test func `without select the values are whole States, and a missing part is null`() throws {
    let whole = try service.watch("old=true")
    #expect(whole.read() == ["retry", #"change {"new":{"value":0,"label":"none"}}"#])
    try service.addOnes(1)
    #expect(
      whole.read() == [
        #"change {"old":{"value":0,"label":"none"},"new":{"value":1,"label":"none"}}"#
      ])
    #expect(
      try service.watch("old=true&select=/x").read() == ["retry", #"change {"new":null}"#])
  }

  @Test func `a slow reader gets one change from its last value`() throws {
    let reader = try service.watch("select=/value&old=true").skipOpening()
    try service.addOnes(9)
    #expect(reader.read() == [#"change {"old":0,"new":9}"#])
    let replay = try service.watch("select=/value&old=true&replay=all")
    #expect(
      replay.read().dropFirst(2) == (1...9).map { #"change {"old":\#($0 - 1),"new":\#($0)}"# }[...])
  }

  @Test func `the stream of a global can have the old and the new value`() throws {
    let reader = try service.open("/v1/globals/motto/events?old=true")
    #expect(reader.read() == ["retry", #"change {"new":null}"#])
    _ = try service.ask("PUT", "/v1/globals/motto", body: #""a""#)
    #expect(reader.read() == [#"change {"old":null,"new":"a"}"#])
  }

  // MARK: Merge Patches and signals

  @Test func `a Merge Patch has the members that changed`() throws {
    let reader = try service.watch("delta=merge")
    #expect(reader.read() == ["retry", #"state {"value":0,"label":"none"}"#])
    try service.addOnes(1)
    #expect(reader.read() == [#"merge {"value":1}"#])
    try service.addOnes(9)
    #expect(reader.read() == [#"merge {"value":10}"#])
    let part = try service.watch("delta=merge&select=/value")
    #expect(part.read() == ["retry", "state 10"])
    try service.addOnes(1)
    #expect(part.read() == ["merge 11"])
  }

  @Test func `the Datastar client gets signals by its header field or the parameter`() throws {
    let requests: [(String, [(name: HTTPHeader, value: String)])] = [
      ("format=datastar", []), ("", [(.datastarRequest, "true")]),
    ]
    for (query, headers) in requests {
      let reader = try service.watch(query, headers)
      #expect(reader.read().last?.hasPrefix(signals(#"{"value":"#)) == true)
      try service.addOnes(1)
      let events = reader.read()
      #expect(events.count == 1)
      #expect(events.last?.hasSuffix(",\"label\":\"none\"}") == false)
    }
    // A parameter takes precedence over the field.
    #expect(
      try service.watch("delta=patch", [(.datastarRequest, "true")]).read().last?
        .hasPrefix("state ") == true)
  }

  @Test func `signals keep the location of a part, below their name`() throws {
    let reader = try service.watch("format=datastar&select=/label&into=demo")
    #expect(reader.read() == ["retry", signals(#"{"demo":{"label":"none"}}"#)])
    try service.act(#"{"label":"a"}"#)
    #expect(reader.read() == [signals(#"{"demo":{"label":"a"}}"#)])
  }

  @Test func `after a reset the name is removed first`() throws {
    let named = try service.watch("format=datastar&into=demo&last_event_id=x-1")
    #expect(
      named.read() == [
        "retry", "reset {}", signals(#"{"demo":null}"#),
        signals(#"{"demo":{"value":0,"label":"none"}}"#),
      ])
    let bare = try service.watch("format=datastar&last_event_id=x-1")
    #expect(bare.read() == ["retry", "reset {}", signals(#"{"value":0,"label":"none"}"#)])
  }

  @Test func `a State that is no object needs a name`() throws {
    let address = "/v1/globals/motto/events"
    #expect(
      try service.ask("GET", "\(address)?format=datastar").problem == "422 state-not-object")
    let reader = try service.open("\(address)?format=datastar&into=motto")
    #expect(reader.read() == ["retry", signals(#"{"motto":null}"#)])
    _ = try service.ask("PUT", "/v1/globals/motto", body: #""a""#)
    #expect(reader.read() == [signals(#"{"motto":"a"}"#)])
  }

  @Test func `signals of several sessions have one name per session`() throws {
    let target = "/v1/events?format=datastar&session=number/a&session=number/b"
    let numbered = try service.open(target)
    let state = #"{"value":0,"label":"none"}"#
    #expect(
      numbered.read() == ["retry", signals(#"{"s1":\#(state)}"#), signals(#"{"s2":\#(state)}"#)])
    let named = try service.open(target + "&into=one&into=two")
    #expect(
      named.read() == ["retry", signals(#"{"one":\#(state)}"#), signals(#"{"two":\#(state)}"#)])
    _ = try service.ask("POST", "\(Service.root)/b/actions", body: #"{"add":1}"#)
    #expect(named.read() == [signals(#"{"two":{"value":1}}"#)])
    for names in ["into=one", "into=one&into=one"] {
      #expect(try service.ask("GET", "\(target)&\(names)").problem == "400 invalid-parameter")
    }
  }

  @Test func `events of several sessions that are no State name their session`() throws {
    for (query, first, second) in [
      (
        "delta=merge", #"number/a {"value":0,"label":"none"}"#,
        #"merge {"session":"number/a","data":{"value":1}}"#
      ),
      (
        "old=true&select=/value", #"change {"session":"number/a","data":{"new":0}}"#,
        #"change {"session":"number/a","data":{"old":0,"new":1}}"#
      ),
    ] {
      let service = Service()
      let reader = try service.open("/v1/events?session=number/a&\(query)")
      #expect(reader.read() == ["retry", first])
      _ = try service.ask("POST", "\(Service.root)/a/actions", body: #"{"add":1}"#)
      #expect(reader.read() == [second])
    }
  }

  @Test(arguments: [
    "old=yes", "old=1", "format=other", "delta=other", "old=true&delta=patch",
    "old=true&format=datastar", "delta=merge&format=datastar", "into=a", "format=datastar&into=",
    "format=datastar&into=a.b", "format=datastar&into=a__b", "format=datastar&into=%C3%A9",
  ])
  func `other values and combinations are rejected`(query: String) throws {
    #expect(
      try service.ask("GET", "\(Service.root)/demo/events?\(query)").problem
        == "400 invalid-parameter")
  }

  // MARK: Random changes

  @Test(arguments: ["old=true", "old=true&select=/value", "delta=merge", "format=datastar&into=n"])
  func `10,000 random changes reach a reader that stalls and reconnects`(query: String) throws {
    var random = SystemRandomNumberGenerator()
    var reader = try service.watch(query)
    var shown = ShownState()
    for _ in 0..<10_000 {
      let label = #"{"label":"\#("xyz".randomElement() ?? "x")"}"#
      try service.act(Bool.random(using: &random) ? #"{"add":1}"# : label)
      switch Int.random(in: 0..<20, using: &random) {
      case 0...2: try shown.read(reader)
      case 3:
        guard let id = reader.lastID else { continue }
        reader.close()
        reader = try service.watch(query, [(.lastEventID, id)])
      default: break  // the reader stalls
      }
    }
    try shown.read(reader)
    let state = try JSONDocument(
      parsing: Array(try service.ask("GET", "\(Service.root)/demo").text.utf8))
    let whole = JSONValue(state.root)
    #expect(
      shown.value
        == (query.contains("select")
          ? whole["value"] : query.contains("into") ? .object([.init("n", whole)]) : whole))
    #expect(shown.count > 1)
  }
}

/// The State of a client that applies each event to the one before.
private struct ShownState {
  private(set) var value: JSONValue?
  private(set) var count = 0

  mutating func read(_ reader: Reader) throws {
    for event in reader.read() {
      let parts = event.split(separator: " ", maxSplits: 1)
      let isSignals = parts[0] == "datastar-patch-signals"
      let data = parts.count > 1 ? parts[1].dropFirst(isSignals ? "signals ".count : 0) : ""
      guard let json = try? JSONValue(JSONDocument(parsing: Array(data.utf8)).root) else {
        continue
      }
      count += 1
      switch parts[0] {
      case "change":
        #expect(json["old"] == value)
        value = json["new"]
      case "state": value = json
      default: value = json.merged(into: value)
      }
    }
  }
}

extension JSONValue {
  /// Applies the value as a Merge Patch, as RFC 7396 defines it.
  fileprivate func merged(into target: JSONValue?) -> JSONValue {
    guard case .object(let members) = self else { return self }
    var result: JSONValue = [:]
    if let target, case .object = target { result = target }
    for member in members {
      result[member.name] =
        member.value == .null ? nil : member.value.merged(into: result[member.name])
    }
    return result
  }
}
