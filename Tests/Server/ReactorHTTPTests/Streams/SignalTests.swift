import Identity
import ReactorHost
import ReactorStreams
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `POST …/signals` and `?signals=true`.
struct SignalTests {
  private let service = Service(settings: { $0.limits.signals = 0 })
  private static let address = "\(Service.root)/demo/signals"

  private func signal(
    _ body: String, _ query: String = "", to service: Service? = nil,
    _ headers: [(name: HTTPHeader, value: String)] = []
  ) throws -> HTTPResponse {
    try (service ?? self.service).ask("POST", Self.address + query, headers, body: body)
  }

  @Test func `a signal is sent to the current subscribers that request signals`() throws {
    let reader = try service.watch("signals=true").skipOpening()
    let plain = try service.watch().skipOpening()
    #expect(try signal(#"{"at":[1,2]}"#, "?name=Ada").status == 204)
    #expect(try signal("null").status == 204)
    #expect(
      reader.read() == [
        #"signal {"from":"Ada","signal":{"at":[1,2]}}"#, #"signal {"from":null,"signal":null}"#,
      ])
    #expect(plain.read() == [])
    // Nothing is stored: neither for a later subscriber nor in the log.
    #expect(try service.watch("signals=true").skipOpening().read() == [])
    #expect(try service.ask("GET", "\(Service.root)/demo/log").text == "[]")
    reader.close()
    #expect(try signal("1").status == 204)
  }

  @Test func `line breaks and other white space do not reach the event`() throws {
    let reader = try service.watch("signals=true").skipOpening()
    #expect(try signal("{\n \"a\" :\r\n\t\"b\\nc\" }").status == 204)
    #expect(reader.read() == [#"signal {"from":null,"signal":{"a":"b\nc"}}"#])
  }

  @Test func `the signals of a sender arrive in order, between States and activity`() throws {
    let reader = try service.watch("signals=true&activity=true").skipOpening()
    for index in 0..<50 {
      #expect(try signal("\(index)").status == 204)
      if index == 20 { try service.addOnes(2) }
    }
    let events = reader.read()
    let signals = events.filter { $0.hasPrefix("signal") }
    #expect(signals == (0..<50).map { #"signal {"from":null,"signal":\#($0)}"# })
    #expect(events.count == 52)
  }

  @Test func `a subscriber that is too far behind misses the oldest signals`() throws {
    let reader = try service.watch("signals=true").skipOpening()
    for index in 0..<100 { _ = try signal("\(index)") }
    let events = reader.read()
    #expect(events.count == SignalBuffer.bound)
    #expect(events.first == #"signal {"from":null,"signal":36}"#)
    #expect(events.last == #"signal {"from":null,"signal":99}"#)
  }

  @Test func `a signal names its session on a stream of several sessions`() throws {
    let reader = try service.open("/v1/events?session=number/demo&session=number/b&signals=true")
    _ = reader.read()
    _ = try signal("7")
    #expect(
      reader.read() == [
        #"signal {"session":"number/demo","data":{"from":null,"signal":7}}"#
      ])
  }

  @Test func `bad signals are rejected`() throws {
    #expect(try signal("{").problem == "400 malformed-json")
    #expect(try signal("").problem == "400 malformed-json")
    #expect(try signal("1", "?name=").problem == "400 invalid-parameter")
    #expect(
      try signal("1", "", [(.contentType, "text/plain")]).problem == "415 unsupported-media-type")
    let limit = String(repeating: "1", count: 4096)
    #expect(try signal("\"\(limit.dropLast(2))\"").status == 204)
    let large = try signal("\"\(limit)\"")
    #expect(large.problem == "413 body-too-large")
    #expect(large.text.contains(#""limit":4096"#))
  }

  @Test func `a sender has a quota per second`() throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act","to":"number/*"}]"#)
    let service = Service(settings: {
      $0.authentication = configuration
      $0.limits.signals = 3
    })
    func token(_ user: String) -> [(name: HTTPHeader, value: String)] {
      [(.authorization, "Bearer \(SignedToken.make(#"{"sub":"\#(user)"}"#))")]
    }
    let statuses = try (0..<10).map { _ in
      try service.ask("POST", Self.address, token("ada"), body: "1")
    }
    #expect(statuses.prefix(3).allSatisfy { $0.status == 204 })
    let rejected = try #require(statuses.first { $0.problem == "429 rate-limited" })
    #expect(rejected[field: "Retry-After"] == "1")
    #expect(try service.ask("POST", Self.address, token("eve"), body: "1").status == 204)
  }

  @Test func `the sender is the principal, and no other name`() throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act","to":"number/*","anonymous":true},{"allow":"act","to":"number/*"}]"#)
    let service = Service(settings: { $0.authentication = configuration })
    let token = [
      (name: HTTPHeader.authorization, value: "Bearer \(SignedToken.make(#"{"sub":"ada"}"#))")
    ]
    let reader = try service.watch("signals=true", token).skipOpening()
    #expect(try signal("1", "?name=Eve", to: service, token).status == 204)
    #expect(try signal("2", "?name=Eve", to: service).status == 204)
    #expect(
      reader.read() == [
        #"signal {"from":"ada","signal":1}"#, #"signal {"from":null,"signal":2}"#,
      ])
  }

  @Test func `a session that does not exist gets no signal, and is not created`() throws {
    #expect(try signal("1").status == 204)
    #expect(try service.ask("GET", Service.root).text == #"{"sessions":[]}"#)
    _ = try service.ask("DELETE", "\(Service.root)/demo")
    #expect(try signal("1").problem == "410 session-ended")
    let explicit = Service(host: { $0.sessionCreation = .explicit })
    #expect(try signal("1", to: explicit).problem == "404 unknown-session")
  }

  @Test func `a delegate decides on signals`() throws {
    let registration = ReactorRegistration(
      "number", summary: "A number", delegate: NoSignals()
    ) {
      NumberReactor(effect: .never())
    }
    let api = ReactorAPI(
      host: Host([registration]), settings: Service.settings, logger: .silent,
      background: WorkerPool(width: 0))
    let responses = Recorder<HTTPResponse>()
    for part in ["signals", "actions"] {
      let body = part == "signals" ? "1" : #"{"add":1}"#
      api.respond(
        to: HTTPRequest(
          method: "POST", path: "\(Service.root)/demo/\(part)", query: nil,
          headers: HTTPRequestHeaders([(.contentType, "application/json")]),
          body: Array(body.utf8), hasBody: true),
        reply: { responses.add($0) })
    }
    #expect(responses.values.map(\.status) == [403, 200])
  }
}

private struct NoSignals: ReactorDelegate {
  typealias Reactor = NumberReactor

  func authorize(_ access: Access<NumberReactor.Action>) throws {
    if case .signal = access.request { throw Forbidden("No signals here.") }
  }
}

/// The buffer that the subscribers of a session share.
struct SignalBufferTests {
  private func notice(_ index: Int) -> StreamNotice {
    StreamNotice("signal", Array("\(index)".utf8))
  }

  @Test func `each position gets each signal once, or the oldest that is retained`() {
    var buffer = SignalBuffer()
    #expect(buffer.next(at: 0) == nil)
    for count in 1...200 {
      buffer.append(notice(count - 1))
      #expect(buffer.count == count)
      #expect(buffer.next(at: count) == nil)
      var position = 0
      var seen: [String] = []
      while let (signal, next) = buffer.next(at: position) {
        seen.append(String(decoding: signal.json, as: UTF8.self))
        position = next
      }
      #expect(seen == (max(0, count - SignalBuffer.bound)..<count).map { "\($0)" })
    }
  }
}
