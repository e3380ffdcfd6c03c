import Testing

@testable import ClientCore

/// The server's side of a feed, for tests of the machine.
private struct FeedScript {
  var feed = EventFeed(path: "v1/globals/user/events", random: { 1 })
  var now = Duration.zero
  var stream = 0
  /// The outputs since the last call of ``taken()``.
  private var log: [String] = []

  mutating func perform(_ outputs: [EventFeed.Output]) {
    for output in outputs {
      switch output {
      case .open(let request, let number):
        stream = number
        let id = request.fields.first { $0.name == "Last-Event-ID" }?.value
        log.append("open \(request.path)" + (id.map { " after \($0)" } ?? ""))
      case .close: log.append("close")
      case .status(.reconnecting(let problem)): log.append("reconnecting \(problem.kind.rawValue)")
      case .status(.ended(let problem)): log.append("ended \(problem.kind.rawValue)")
      case .status(let status): log.append("\(status)")
      case .events(let events): log.append(events.map(\.text).joined(separator: " "))
      case .renewToken: log.append("renew token")
      case .replaceCredential(let request, let number):
        log.append("\(request.method) \(request.path) for \(number)")
      }
    }
  }

  mutating func taken() -> [String] {
    defer { log = [] }
    return log
  }

  mutating func start() {
    perform(feed.start(now: now))
    open()
  }

  mutating func open(_ fields: [(name: String, value: String)] = []) {
    let type = (name: "Content-Type", value: "text/event-stream; charset=utf-8")
    perform(
      feed.opened(stream: stream, TransportHead(status: 200, fields: [type] + fields), now: now))
  }

  mutating func send(_ text: String) {
    perform(feed.received(stream: stream, Array(text.utf8)[...], now: now))
  }

  mutating func reject(_ status: Int, _ type: String) {
    perform(feed.rejected(stream: stream, .problem(status, type), now: now))
  }

  /// Advances the clock to the deadline.
  mutating func wait() {
    guard let deadline = feed.deadline else { return log.append("no deadline") }
    now = deadline
    perform(feed.wake(now: now))
  }
}

struct EventFeedTests {
  private var script = FeedScript()

  @Test mutating func `events that arrive together are published together, after the status`() {
    script.start()
    script.send("id: k-1\ndata: 1\n\nid: k-2\ndata: 2\n\n")
    script.send("id: k-3\ndata: 3\n\n")
    #expect(script.taken() == ["open v1/globals/user/events", "live", "1 2", "3"])
  }

  @Test mutating func `a lost connection is resumed after the last event, with growing pauses`() {
    script.start()
    script.send("id: k-1\ndata: 1\n\n")
    _ = script.taken()
    script.perform(script.feed.closed(stream: script.stream, nil, now: script.now))
    script.wait()
    #expect(
      script.taken() == [
        "close", "reconnecting unreachable", "open v1/globals/user/events after k-1",
      ])
    #expect(script.now == .seconds(1))
    script.perform(script.feed.closed(stream: script.stream, nil, now: script.now))
    script.wait()
    #expect(script.now == .seconds(3))
  }

  @Test mutating func `a stream is dead after three heartbeats of silence`() {
    script.perform(script.feed.start(now: script.now))
    script.open([(name: "Heartbeat-Interval", value: "20")])
    _ = script.taken()
    script.wait()
    #expect(script.now == .seconds(60))
    #expect(script.taken() == ["close", "reconnecting unreachable"])
  }

  @Test mutating func `a new token replaces the credential of the stream, or opens it again`() {
    script.perform(script.feed.start(now: script.now))
    script.open([(name: "Stream-Id", value: "0f")])
    _ = script.taken()
    script.perform(script.feed.renew(now: script.now))
    #expect(script.taken() == ["POST v1/streams/0f/credential for 1"])
    script.perform(script.feed.credentialRejected(stream: 1, now: script.now))
    #expect(script.taken() == ["close", "open v1/globals/user/events"])
    script.open()
    script.perform(script.feed.renew(now: script.now))
    #expect(script.taken() == ["close", "open v1/globals/user/events"])
  }

  @Test mutating func `a rejected token is renewed once without a pause, a rejection is final`() {
    script.perform(script.feed.start(now: script.now))
    script.reject(401, "unauthorized")
    script.wait()
    #expect(script.now == .zero)
    script.reject(401, "unauthorized")
    #expect(
      script.taken() == [
        "open v1/globals/user/events", "renew token", "close", "open v1/globals/user/events",
        "close", "ended unauthorized",
      ])
    #expect(script.feed.deadline == nil)
  }

  @Test mutating func `an unavailable server and another server are retried`() {
    script.perform(script.feed.start(now: script.now))
    script.reject(503, "unavailable")
    script.wait()
    let page = TransportHead(status: 200, fields: [("Content-Type", "text/html")])
    script.perform(script.feed.opened(stream: script.stream, page, now: script.now))
    #expect(
      script.taken() == [
        "open v1/globals/user/events", "close", "reconnecting unavailable",
        "open v1/globals/user/events", "close", "reconnecting not-a-server",
      ])
  }

  @Test mutating func `a feed that was stopped resumes after its last event`() {
    script.start()
    script.send("id: k-4\ndata: 4\n\n")
    script.perform(script.feed.stop())
    #expect(script.taken().suffix(2) == ["close", "paused"])
    script.send("id: k-5\ndata: late\n\n")
    script.perform(script.feed.start(now: script.now))
    #expect(script.taken() == ["connecting", "open v1/globals/user/events after k-4"])
  }

  @Test mutating func `an expired credential and a draining server reopen the stream`() {
    script.start()
    script.send("event: expired\ndata: {}\n\n")
    script.wait()
    script.open()
    script.send(": alive\n\n")
    script.send("event: draining\ndata: {}\n\n")
    #expect(
      script.taken() == [
        "open v1/globals/user/events", "renew token", "close", "open v1/globals/user/events",
        "live", "close", "reconnecting unreachable",
      ])
  }

  @Test func `a response of something before the server does not end the feed`() {
    for status in 200...599 {
      for response in TransportResponse.foreign(status) {
        var script = FeedScript()
        script.perform(script.feed.start(now: script.now))
        if (200..<300).contains(status) {
          script.perform(script.feed.opened(stream: script.stream, response.head, now: script.now))
        } else {
          script.perform(
            script.feed.rejected(stream: script.stream, response, now: script.now))
        }
        _ = script.taken()
        script.wait()
        #expect(script.taken().last == "open v1/globals/user/events", "\(response)")
      }
    }
  }
}
