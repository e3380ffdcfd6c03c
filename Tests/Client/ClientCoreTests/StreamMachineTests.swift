import ReactorCoding
import Testing

@testable import ClientCore

/// The server's side of a stream, for tests of the machine.
private struct Script {
  var machine = StreamMachine(capacity: 100, random: { 1 })
  var now = Duration.zero
  var stream = 0
  /// The outputs since the last call of ``taken()``.
  var log: [String] = []

  mutating func perform(_ outputs: [StreamMachine.Output]) {
    for output in outputs {
      switch output {
      case .open(let request, let number):
        stream = number
        let id = request.fields.first { $0.name == "Last-Event-ID" }?.value
        log.append("open \(request.path.split(separator: "&").dropFirst(2).joined(separator: " "))")
        if let id { log.append("after \(id)") }
      case .close: log.append("close")
      case .status(.reconnecting(let problem)): log.append("reconnecting \(problem.kind.rawValue)")
      case .status(let status): log.append("\(status)")
      case .update(let key, .state(let state)):
        log.append(
          "\(key) \(String(decoding: state.json.value.bytes, as: UTF8.self)) \(state.cursor)")
      case .update(let key, .ended(let problem)):
        log.append("\(key) ended \(problem.kind.rawValue)")
      case .update(let key, .failed): log.append("\(key) failed")
      case .update(let key, .activity(let activity)): log.append("\(key) runs \(activity.running)")
      case .update(let key, .notice(let name, _)): log.append("\(key) \(name)")
      case .check(let keys): log.append("check \(keys.joined(separator: " "))")
      case .overflow(let keys): log.append("overflow \(keys.joined(separator: " "))")
      case .renewToken: log.append("renew token")
      case .replaceCredential(let request, let number):
        log.append("\(request.method) \(request.path) for \(number)")
      }
    }
  }

  mutating func select(_ selection: Selection, of key: String) {
    perform(machine.join(key, selection: selection, now: now))
  }

  mutating func join(_ keys: String...) {
    for key in keys { perform(machine.join(key, now: now)) }
  }

  /// Advances the clock to the machine's deadline.
  mutating func wait() {
    guard let deadline = machine.deadline else { return log.append("no deadline") }
    now = deadline
    perform(machine.wake(now: now))
  }

  mutating func open(_ fields: [(name: String, value: String)] = []) {
    let type = (name: "Content-Type", value: "text/event-stream; charset=utf-8")
    perform(
      machine.opened(
        stream: stream, TransportHead(status: 200, fields: [type] + fields), now: now))
  }

  mutating func send(_ text: String) {
    perform(machine.received(stream: stream, Array(text.utf8)[...], now: now))
  }

  mutating func state(_ key: String, _ json: String, _ cursors: String) {
    send("event: \(key)\nid: \(cursors)\ndata: \(json)\n\n")
  }

  mutating func patch(_ key: String, _ json: String, _ cursors: String) {
    send("event: patch\nid: \(cursors)\ndata: {\"session\":\"\(key)\",\"data\":\(json)}\n\n")
  }

  mutating func close() {
    perform(machine.closed(stream: stream, nil, now: now))
  }

  mutating func taken() -> [String] {
    defer { log = [] }
    return log
  }
}

private let tag = CompositeID.tag(of: "counter/a")

struct StreamMachineTests {
  /// A live stream of one session at version 1.
  private func live() -> Script {
    var script = Script()
    script.join("counter/a")
    script.wait()
    script.open()
    script.state("counter/a", #"{"value":1}"#, "\(tag).k-1")
    _ = script.taken()
    return script
  }

  @Test func `sessions that join together share one request`() {
    var script = Script()
    script.join("counter/a", "counter/b")
    #expect(script.taken().isEmpty)
    script.wait()
    script.open()
    script.state("counter/b", "{}", "\(CompositeID.tag(of: "counter/b")).z-0")
    #expect(
      script.taken() == [
        "open session=counter%2Fa session=counter%2Fb", "live", "counter/b {} z-0",
      ])
  }

  @Test func `a session that joins later reopens the stream from the known cursors`() {
    var script = live()
    script.join("counter/b")
    script.wait()
    #expect(
      script.taken() == [
        "close", "open session=counter%2Fa session=counter%2Fb", "after \(tag).k-1",
      ])
  }

  @Test func `a topic reopens the stream once, and stays while its session is observed`() {
    var script = live()
    script.perform(script.machine.join("counter/a", topics: .presence, now: script.now))
    script.perform(
      script.machine.join("counter/a", topics: [.presence, .signals], now: script.now))
    script.wait()
    let opening = "open presence=true signals=true session=counter%2Fa"
    #expect(script.taken() == ["close", opening, "after \(tag).k-1"])
    script.open()
    script.send("event: presence\ndata: {\"session\":\"counter/a\",\"data\":{\"count\":1}}\n\n")
    #expect(script.taken() == ["counter/a presence"])
    script.perform(script.machine.join("counter/a", topics: .signals, now: script.now))
    script.close()
    script.wait()
    #expect(script.taken().contains(opening))
    script.join("counter/b")
    script.perform(script.machine.leave("counter/a", now: script.now))
    script.wait()
    #expect(script.taken().last == "open session=counter%2Fb")
  }

  @Test func `a stream has the smallest part that is wanted when it was opened`() throws {
    var script = live()
    let (one, other) = (
      Selection.part(try JSONPointer("/a/b")), Selection.part(try JSONPointer("/a/c~1d"))
    )
    script.join("counter/b")
    script.select(one.union(other).union(.nothing), of: "counter/c")
    script.wait()
    let sessions = "session=counter%2Fa session=counter%2Fb session=counter%2Fc"
    #expect(
      script.taken() == [
        "close", "open \(sessions) select= select= select=%2Fa", "after \(tag).k-1",
      ])
    script.open()
    script.select(.nothing, of: "counter/b")
    script.select(other, of: "counter/c")
    // A smaller part is requested later than a larger one.
    script.select(one, of: "counter/a")
    script.select(.whole, of: "counter/a")
    script.wait()
    #expect(
      script.taken() == [
        "close", "open \(sessions) select= select=none select=%2Fa%2Fc~1d", "after \(tag).k-1",
      ])
    // A patch of another part does not apply to what the client has.
    script.open()
    script.select(one, of: "counter/a")
    script.wait()
    #expect(
      script.taken() == [
        "close", "open \(sessions) select=%2Fa%2Fb select=none select=%2Fa%2Fc~1d",
      ])
  }

  @Test func `selections contain their parts, name by name`() throws {
    let part = Selection.part(try JSONPointer("/a"))
    #expect(part.contains(.part(try JSONPointer("/a/b"))))
    #expect(!part.contains(.part(try JSONPointer("/ab"))))
    #expect(!part.contains(.whole) && part.contains(.nothing) && !Selection.nothing.contains(part))
    let state = SessionState(
      .document(try JSONDocument(parsing: Array(#"{"b":[1,{"c":2}]}"#.utf8))),
      try #require(SessionCursor("k-1")), of: part)
    #expect(state.value(of: try JSONPointer("/a/b/1/c")) == 2)
    for missing in ["/a/x", "/a/b/01", "/a/b/2", "/a/b/1/c/d"] {
      #expect(state.value(of: try JSONPointer(missing)) == .null)
    }
  }

  @Test func `patches apply to the State before, and cursors never go back`() {
    var script = live()
    let patch = #"[{"op":"replace","path":"/value","value":2}]"#
    script.patch("counter/a", patch, "\(tag).k-2")
    script.patch("counter/a", patch, "\(tag).k-2")
    script.state("counter/a", #"{"value":1}"#, "\(tag).k-1")
    script.state("counter/a", #"{"value":9}"#, "\(tag).k-9")
    #expect(script.taken() == [#"counter/a {"value":2} k-2"#, #"counter/a {"value":9} k-9"#])
  }

  @Test func `a broken stream is resumed after a growing, jittered pause`() {
    var script = live()
    script.send("retry: 1500\n\n")
    script.close()
    #expect(script.taken() == ["close", "reconnecting unreachable"])
    #expect(script.machine.deadline == script.now + .milliseconds(1500))
    script.wait()
    #expect(script.taken() == ["open session=counter%2Fa", "after \(tag).k-1"])
    script.close()
    #expect(script.machine.deadline == script.now + .milliseconds(3000))
    script.wait()
    script.open()
    script.send(": current\n\n")
    #expect(script.taken().last == "live")
    script.close()
    #expect(script.machine.deadline == script.now + .milliseconds(1500))
  }

  @Test func `Retry-After of a server that is overloaded is obeyed`() {
    var script = live()
    script.close()
    script.wait()
    let response = TransportResponse(
      TransportHead(status: 503, fields: [("Retry-After", "7")]), body: [])
    script.perform(script.machine.rejected(stream: script.stream, response, now: script.now))
    #expect(script.machine.deadline == script.now + .seconds(7) * 1.1)
  }

  @Test func `a silent stream is dead after three heartbeats`() {
    var script = Script()
    script.join("counter/a")
    script.wait()
    script.open([("Heartbeat-Interval", "20")])
    #expect(script.machine.deadline == script.now + .seconds(60))
    script.now += .seconds(59)
    script.send(":\n\n")
    #expect(script.machine.deadline == script.now + .seconds(60))
    _ = script.taken()
    script.wait()
    #expect(script.taken() == ["close", "reconnecting unreachable"])
  }

  @Test func `a patch that does not apply requests the whole State`() {
    var script = live()
    script.patch("counter/a", #"[{"op":"remove","path":"/missing"}]"#, "\(tag).k-2")
    #expect(script.taken() == ["counter/a failed", "close", "reconnecting malformed-event"])
    script.wait()
    #expect(script.taken() == ["open session=counter%2Fa"])
  }

  @Test(arguments: ["event: x\ndata: {\n\n", "event: patch\nid: z\ndata: 7\n\n"])
  func `a malformed event reconnects and keeps the State`(_ text: String) {
    var script = live()
    script.send(text)
    #expect(script.taken() == ["close", "reconnecting malformed-event"])
    script.wait()
    #expect(script.taken() == ["open session=counter%2Fa", "after \(tag).k-1"])
  }

  @Test func `a reset begins another history`() {
    var script = live()
    script.send(#"event: reset"# + "\n" + #"data: {"session":"counter/a","data":{}}"# + "\n\n")
    script.state("counter/a", #"{"value":0}"#, "\(tag).new-0")
    #expect(script.taken() == [#"counter/a {"value":0} new-0"#])
  }

  @Test func `the end of the last session closes the stream`() {
    var script = live()
    script.send("event: end\ndata: {\"session\":\"counter/a\",\"data\":{}}\n\n")
    #expect(script.taken() == ["counter/a ended session-ended", "close"])
    #expect(script.machine.deadline == nil)
  }

  @Test func `an expired token is renewed at once, and after a pause if that does not help`() {
    var script = live()
    let expired = "event: expired\ndata: {\"session\":\"counter/a\",\"data\":{}}\n\n"
    script.send(expired)
    #expect(script.taken() == ["renew token", "close"])
    #expect(script.machine.deadline == script.now)
    script.wait()
    script.send(expired)
    #expect(script.machine.deadline == script.now + .seconds(2))
  }

  @Test func `a new token replaces the credential of the stream, which continues`() {
    var script = Script()
    script.join("counter/a")
    script.wait()
    script.open([(name: "Stream-Id", value: "0f/x")])
    script.send(": connected\n\n")
    _ = script.taken()
    script.perform(script.machine.renew(now: script.now))
    #expect(script.taken() == ["POST v1/streams/0f%2Fx/credential for 1"])
    script.state("counter/a", "1", "\(tag).e-1")
    #expect(script.taken() == ["counter/a 1 e-1"])
    // The server has not replaced it: another process has the stream.
    script.perform(script.machine.credentialRejected(stream: 0, now: script.now))
    #expect(script.taken().isEmpty)
    script.perform(script.machine.credentialRejected(stream: 1, now: script.now))
    #expect(script.taken() == ["close", "open session=counter%2Fa", "after \(tag).e-1"])
  }

  @Test func `a new token opens the stream again if the server does not say its id`() {
    var script = live()
    script.perform(script.machine.renew(now: script.now))
    #expect(script.taken().prefix(2) == ["close", "open session=counter%2Fa"])
  }

  @Test func `rejected sessions are found and removed`() {
    var script = live()
    script.close()
    script.wait()
    _ = script.taken()
    let response = TransportResponse.problem(403, "forbidden")
    script.perform(script.machine.rejected(stream: script.stream, response, now: script.now))
    #expect(script.taken() == ["check counter/a", "close", "reconnecting forbidden"])
    script.perform(script.machine.remove("counter/a", Problem(response)))
    #expect(script.taken() == ["counter/a ended forbidden"])
  }

  @Test func `a response of something before the server ends no session and no stream`() {
    for status in 200...599 {
      for response in TransportResponse.foreign(status) {
        var script = live()
        script.close()
        script.wait()
        _ = script.taken()
        if (200..<300).contains(status) {
          script.perform(
            script.machine.opened(stream: script.stream, response.head, now: script.now))
        } else {
          script.perform(script.machine.rejected(stream: script.stream, response, now: script.now))
        }
        let log = script.taken()
        // An address that is too long for a proxy is divided, and a token that it rejects is renewed.
        #expect(log.contains("check counter/a") == (status == 204), "\(response)")
        #expect(log.contains("renew token") == (status == 401), "\(response)")
        script.wait()
        #expect(script.taken() == ["open session=counter%2Fa", "after \(tag).k-1"])
      }
    }
  }

  @Test func `204 ends the sessions that have ended, as their own States show`() {
    var script = live()
    script.close()
    script.wait()
    _ = script.taken()
    script.perform(
      script.machine.opened(
        stream: script.stream, TransportHead(status: 204, fields: []), now: script.now))
    #expect(script.taken() == ["check counter/a", "close", "reconnecting not-a-server"])
    script.perform(script.machine.remove("counter/a", .sessionEnded))
    #expect(script.taken() == ["counter/a ended session-ended"])
    #expect(script.machine.deadline == nil)
  }

  @Test func `a server without streams of several sessions is reported as older`() {
    var script = Script()
    script.join("counter/a")
    script.wait()
    let response = TransportResponse.problem(404, "not-found")
    script.perform(script.machine.rejected(stream: script.stream, response, now: script.now))
    #expect(script.taken().suffix(3) == ["check counter/a", "close", "reconnecting not-found"])
    guard case .reconnecting(let problem) = script.machine.status else {
      Issue.record("The status is \(script.machine.status).")
      return
    }
    #expect(problem.kind == .unknownAddress)
    #expect(problem.detail?.contains("update the server") == true)
    // The server serves the session itself, so the session stays and its stream is requested again.
    script.wait()
    #expect(script.taken().count == 1)
  }

  @Test func `a server without patches and heartbeat intervals sends whole States`() {
    var script = live()
    script.state("counter/a", #"{"value":2}"#, "\(tag).k-2")
    script.state("counter/a", #"{"value":3}"#, "\(tag).k-3")
    #expect(script.taken() == [#"counter/a {"value":2} k-2"#, #"counter/a {"value":3} k-3"#])
  }

  @Test func `sessions that are too many for the server are given up`() {
    var script = Script()
    script.join("counter/a", "counter/b", "counter/c")
    script.wait()
    _ = script.taken()
    let response = TransportResponse.problem(
      400, "invalid-parameter", #","parameter":"session""#)
    script.perform(script.machine.rejected(stream: script.stream, response, now: script.now))
    #expect(script.taken() == ["overflow counter/b counter/c", "close"])
    script.wait()
    #expect(script.taken() == ["open session=counter%2Fa"])
    #expect(!script.machine.hasRoom)
  }

  @Test func `a pause keeps the cursors`() {
    var script = live()
    script.perform(script.machine.pause())
    #expect(script.taken() == ["close", "paused"])
    #expect(script.machine.deadline == nil)
    script.perform(script.machine.resume(now: script.now))
    #expect(script.taken() == ["connecting", "open session=counter%2Fa", "after \(tag).k-1"])
  }

  @Test func `bytes of an earlier stream are ignored`() {
    var script = live()
    let old = script.stream
    script.close()
    script.wait()
    _ = script.taken()
    let event = Array("event: counter/a\nid: \(tag).k-5\ndata: {}\n\n".utf8)
    script.perform(script.machine.received(stream: old, event[...], now: script.now))
    #expect(script.taken().isEmpty)
  }
}
