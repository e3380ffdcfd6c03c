import Identity
import ReactorHost
import ReactorTesting
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `?presence=true` and the list of subscribers.
struct PresenceStreamTests {
  private let time: VirtualTimeScheduler
  private let service: Service

  init() {
    let time = VirtualTimeScheduler()
    self.time = time
    service = Service(host: { $0.presenceScheduler = time })
  }

  private func presence(_ count: Int, _ names: String..., more: Int = 0) -> String {
    let subscribers = names.map { name in
      let parts = name.split(separator: " ")
      return #"{"name":"\#(parts[0])","streams":\#(parts.count > 1 ? parts[1] : "1")}"#
    }
    return """
      presence {"count":\(count),"subscribers":[\(subscribers.joined(separator: ","))],"more":\(more)}
      """
  }

  private func pass() {
    time.advance(by: .milliseconds(250))
  }

  @Test func `the subscribers are sent soon after the opening, and after changes`() throws {
    let reader = try service.watch("presence=true")
    #expect(reader.read() == ["retry", #"0 {"value":0,"label":"none"}"#])
    pass()
    #expect(reader.read() == [presence(1)])
    let ada = try service.watch("name=Ada")
    let second = try service.watch("name=Ada")
    _ = try service.watch("name=Ben")
    #expect(reader.read() == [])
    pass()
    #expect(reader.read() == [presence(4, "Ada 2", "Ben")])
    ada.close()
    second.close()
    pass()
    #expect(reader.read() == [presence(2, "Ben")])
    #expect(reader.lastID?.hasSuffix("-0") == true)
    #expect(ada.read().allSatisfy { !$0.hasPrefix("presence") })
  }

  @Test func `a client that returns within the interval is no event`() throws {
    let reader = try service.watch("presence=true&name=Ada")
    _ = try service.watch("name=Ben")
    pass()
    _ = reader.read()
    try service.watch("name=Eve").close()
    pass()
    #expect(reader.read() == [])
    let again = try service.watch("presence=true&name=Ada")
    reader.close()
    _ = again.read()
    pass()
    #expect(again.read() == [presence(2, "Ada", "Ben")])
  }

  @Test func `a new stream does not receive earlier lists of subscribers`() throws {
    let first = try service.watch("presence=true&name=Ada")
    pass()
    let second = try service.watch("presence=true&name=Ben")
    #expect(second.skipOpening().read() == [])
    pass()
    let both = presence(2, "Ada", "Ben")
    #expect(second.read() == [both])
    #expect(first.read().last == both)
  }

  @Test func `an event lists 100 names, the list pages through all`() throws {
    for index in 0..<130 { _ = try service.watch("name=n\(1000 + index)") }
    let reader = try service.watch("presence=true").skipOpening()
    pass()
    let event = try #require(reader.read().first)
    #expect(event.hasPrefix(#"presence {"count":131,"subscribers":[{"name":"n1000","streams":1},"#))
    #expect(event.hasSuffix(#"{"name":"n1099","streams":1}],"more":30}"#))

    let list = "\(Service.root)/demo/subscribers"
    let first = try service.ask("GET", list + "?limit=129")
    #expect(first.text.hasSuffix(#""more":1}"#))
    let link = try #require(first[field: "Link"])
    #expect(link == "<\(list)?limit=129&after=n1128>; rel=\"next\"")
    let last = try service.ask("GET", list + "?limit=129&after=n1128")
    #expect(last.text == #"{"count":131,"subscribers":[{"name":"n1129","streams":1}],"more":0}"#)
    #expect(last[field: "Link"] == nil)
  }

  @Test func `names have any characters, and links encode them`() throws {
    for name in ["%C3%A9%20%26%22", "%C3%A9%00"] { _ = try service.watch("name=\(name)") }
    let list = "\(Service.root)/demo/subscribers"
    let first = try service.ask("GET", list + "?limit=1")
    #expect(first.text == #"{"count":2,"subscribers":[{"name":"é\u0000","streams":1}],"more":1}"#)
    let link = try #require(first[field: "Link"]?.split(separator: ">").first?.dropFirst())
    #expect(link.hasSuffix("after=%C3%A9%00"))
    let next = try service.ask("GET", String(link))
    #expect(next.text == #"{"count":2,"subscribers":[{"name":"é &\"","streams":1}],"more":0}"#)
  }

  @Test(arguments: ["name=", "name=\(String(repeating: "a", count: 129))"])
  func `a name has 1 to 128 bytes`(query: String) throws {
    let response = try service.ask("GET", "\(Service.root)/demo/events?\(query)")
    #expect(response.problem == "400 invalid-parameter")
    let several = try service.ask("GET", "/v1/events?session=number/demo&\(query)")
    #expect(several.problem == "400 invalid-parameter")
    #expect(service.api.channels.streamCount == 0)
  }

  @Test func `a list of subscribers names its session on a stream of several sessions`() throws {
    let reader = try service.open(
      "/v1/events?session=number/demo&session=number/b&presence=true&name=Ada")
    _ = try service.watch("name=Ben")
    pass()
    func wrapped(_ id: String, _ event: String) -> String {
      #"presence {"session":"number/\#(id)","data":\#(event.dropFirst("presence ".count))}"#
    }
    #expect(
      Set(reader.read().filter { $0.hasPrefix("presence") }) == [
        wrapped("demo", presence(2, "Ada", "Ben")), wrapped("b", presence(1, "Ada")),
      ])
    reader.close()
    #expect(
      try service.ask("GET", "\(Service.root)/b/subscribers").text
        == #"{"count":0,"subscribers":[],"more":0}"#)
  }

  @Test func `activity, presence and States take turns`() throws {
    let reader = try service.watch("presence=true&activity=true").skipOpening()
    pass()
    _ = service.start("POST", "\(Service.root)/demo/actions", body: #""hold""#)
    try service.addOnes(3)
    let kinds = reader.read().map { $0.split(separator: " ")[0] }
    #expect(kinds.sorted() == ["1", "2", "3", "activity", "presence"])
    #expect(kinds.firstIndex(of: "presence").map { $0 < 3 } == true)
  }

  @Test func `a session that does not exist has none, and reading it creates nothing`() throws {
    let list = "\(Service.root)/none/subscribers"
    #expect(try service.ask("GET", list).text == #"{"count":0,"subscribers":[],"more":0}"#)
    #expect(try service.ask("GET", Service.root).text == #"{"sessions":[]}"#)
    let explicit = Service(host: { $0.sessionCreation = .explicit })
    #expect(try explicit.ask("GET", list).problem == "404 unknown-session")
    _ = try service.ask("DELETE", "\(Service.root)/none")
    #expect(try service.ask("GET", list).problem == "410 session-ended")
  }

  @Test func `the subscribers of a session that does not exist are those of its creation`() throws {
    let reader = try service.watch("presence=true&name=Ada")
    let other = try service.watch("name=Ben")
    #expect(reader.read() == ["retry", #"0 {"value":0,"label":"none"}"#])
    try service.addOnes(1)
    #expect(reader.read() == [#"1 {"value":1,"label":"none"}"#])
    pass()
    #expect(reader.read() == [presence(2, "Ada", "Ben")])
    // The observer has moved to the created session: later changes are published once.
    _ = try service.watch("name=Eve")
    other.close()
    pass()
    #expect(reader.read() == [presence(2, "Ada", "Eve")])
    #expect(
      try service.ask("GET", "\(Service.root)/demo/subscribers").text
        == #"{"count":2,"subscribers":[{"name":"Ada","streams":1},{"name":"Eve","streams":1}],"more":0}"#
    )
    pass()
    #expect(reader.read() == [])
  }

  @Test func `a creation during the interval of a publication doubles no event`() throws {
    let reader = try service.watch("presence=true&name=Ada").skipOpening()
    pass()
    #expect(reader.read() == [presence(1, "Ada")])
    _ = try service.watch("name=Ben")
    time.advance(by: .milliseconds(100))
    #expect(try service.ask("PUT", "\(Service.root)/demo").status == 201)
    pass()
    pass()
    #expect(reader.read() == [presence(2, "Ada", "Ben")])
  }

  @Test func `with authentication the name is the principal, and no other one`() throws {
    let configuration = try SignedToken.configuration(
      rules:
        #"[{"allow":"read","to":"number/*","anonymous":true},{"allow":"read","to":"number/*"}]"#)
    let service = Service(
      host: { $0.presenceScheduler = time }, settings: { $0.authentication = configuration })
    let token = SignedToken.make(#"{"sub":"ada"}"#)
    let reader = try service.watch("presence=true&name=Eve", [(.authorization, "Bearer \(token)")])
    _ = try service.watch("name=Eve")
    pass()
    #expect(reader.read().last == presence(2, "ada"))
  }

  @Test func `a session without an observer schedules nothing`() throws {
    _ = try service.watch("name=Ada")
    try service.watch().close()
    let before = time.now
    time.run()
    #expect(time.now == before)
  }

  @Test func `the channel is removed with its last stream`() throws {
    let reader = try service.watch("presence=true")
    pass()
    reader.close()
    let before = time.now
    _ = try service.watch()
    time.run()
    #expect(time.now == before)
    #expect(
      try service.ask("GET", "\(Service.root)/demo/subscribers").text
        == #"{"count":1,"subscribers":[],"more":0}"#)
  }
}
