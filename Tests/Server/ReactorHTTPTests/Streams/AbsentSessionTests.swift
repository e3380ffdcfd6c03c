import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Streams of sessions that do not exist.
struct AbsentSessionTests {
  private let log = MemoryLog()
  private let service: Service

  init() {
    service = Service(log: log)
  }

  private func state(_ value: Int) -> String { #"\#(value) {"value":\#(value),"label":"none"}"# }

  private var list: String {
    get throws { try service.ask("GET", Service.root).text }
  }

  @Test func `a stream shows the initial State, and creates nothing`() throws {
    #expect(try service.ask("PUT", "/v1/globals/motto", body: #""hello""#).status == 200)
    let reader = try service.watch("activity=true")
    #expect(reader.read() == ["retry", state(0), #"activity {"running":0,"progress":null}"#])
    #expect(try list == #"{"sessions":[]}"#)
    #expect(try log.session(SessionKey(reactor: "number", id: "demo")).record() == .none)
    #expect(service.api.host.reactor("number")?.liveSessionCount == 0)
    reader.close()
  }

  @Test(arguments: ["", "delta=patch", "old=true"])
  func `the first action reaches the streams that were open`(query: String) throws {
    let readers = [try service.watch(query).skipOpening(), try service.watch(query).skipOpening()]
    try service.addOnes(3)
    for reader in readers {
      #expect(reader.read().count == 3)
      #expect(reader.ids == [0, 1, 2, 3])
    }
    #expect(try list.contains(#""subscribers":2"#))
    for reader in readers { reader.close() }
    #expect(try list.contains(#""subscribers":0"#))
  }

  @Test func `a stream that opened before the session, and one after it, send the same`() throws {
    let early = try service.watch().skipOpening()
    try service.addOnes(1)
    let late = try service.watch()
    #expect(late.read() == ["retry", state(1)])
    try service.addOnes(1)
    #expect(late.read() == [state(2)])
    #expect(early.read() == [state(1), state(2)])
    #expect(try list.contains(#""subscribers":2"#))
  }

  @Test func `every version is replayed from the initial State on`() throws {
    let reader = try service.watch("replay=all")
    #expect(reader.read() == ["retry", state(0)])
    try service.addOnes(5)
    #expect(reader.read() == (1...5).map { state($0) })
    #expect(reader.ids == Array(0...5))
  }

  @Test func `a cursor of the initial State is current`() throws {
    let first = try service.watch()
    _ = first.read()
    let cursor = try #require(first.lastID)
    first.close()
    #expect(try service.watch("last_event_id=\(cursor)").read().last?.hasPrefix(":") == true)
    try service.addOnes(1)
    #expect(try service.watch("last_event_id=\(cursor)").read().last == state(1))
  }

  @Test func `effects are sent from the first action on`() throws {
    let reader = try service.watch("activity=true").skipOpening()
    _ = service.start(
      "POST", "\(Service.root)/demo/actions", [(.prefer, "respond-async")], body: #""hold""#)
    #expect(reader.read() == [#"activity {"running":1,"progress":null}"#])
    service.effect.onCompleted()
    #expect(reader.read() == [#"activity {"running":0,"progress":null}"#])
    reader.close()
  }

  @Test func `the end of a session that never existed ends its streams`() throws {
    let reader = try service.watch().skipOpening()
    #expect(try service.ask("DELETE", "\(Service.root)/demo").status == 204)
    #expect(reader.read() == ["end {}"])
    #expect(reader.isFinished)
    #expect(try service.ask("GET", "\(Service.root)/demo/events").status == 204)
    #expect(try service.ask("PUT", "\(Service.root)/demo").status == 201)
    let next = try service.watch().skipOpening()
    try service.addOnes(1)
    #expect(next.read() == [state(1)])
  }

  @Test func `a fork to the id begins another history`() throws {
    #expect(
      try service.ask("POST", "\(Service.root)/origin/actions", body: #"{"add":7}"#).status == 200)
    let reader = try service.watch()
    #expect(reader.read() == ["retry", state(0)])
    let fork = try service.ask(
      "POST", Service.root, body: #"{"id":"demo","from":{"session":"origin"}}"#)
    #expect(fork.status == 201)
    #expect(reader.read() == [])
    #expect(reader.isFinished)
    let next = try service.watch("last_event_id=\(try #require(reader.lastID))")
    #expect(next.read() == ["retry", "reset {}", #"1 {"value":7,"label":"none"}"#])
  }

  @Test func `a stream of several sessions shows the initial State of an absent one`() throws {
    try service.addOnes(1)
    let reader = try service.open("/v1/events?session=number/demo&session=number/absent")
    #expect(
      reader.read() == [
        "retry", #"number/demo {"value":1,"label":"none"}"#,
        #"number/absent {"value":0,"label":"none"}"#,
      ])
    #expect(
      try service.ask("POST", "\(Service.root)/absent/actions", body: #"{"add":2}"#).status == 200)
    #expect(reader.read() == [#"number/absent {"value":2,"label":"none"}"#])
  }
}
