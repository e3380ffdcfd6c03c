import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTesting
import Testing

/// The subscribers of a session, for observers and for its reactor.
struct PresenceTests {
  private final class Observer: PresenceObserver {
    let seen = Recorder<String>()

    func presenceDidChange(_ update: PresenceUpdate) {
      let presence = update.presence
      seen.add("\(presence.count): " + presence.subscribers.map(\.name).joined(separator: " "))
    }
  }

  private let time = VirtualTimeScheduler()
  private let log = MemoryLog()
  private let ada = StreamOwner("Ada")

  private func host() -> Host {
    var settings = HostSettings()
    settings.presenceScheduler = time
    return Host(
      [ReactorRegistration("room", summary: "A room") { PresenceReactor($0) }], log: log,
      settings: settings)
  }

  @Test func `an observer gets the subscribers, and then changes at most four times per second`()
    throws
  {
    let session = try host().open("room", "main")
    let observer = Observer()
    session.changeStreams(of: ada, by: 2)
    session.observePresence(observer)
    time.advance(by: .milliseconds(249))
    #expect(observer.seen.values == [])
    time.advance(by: .milliseconds(1))
    #expect(observer.seen.values == ["2: Ada"])
    time.advance(by: .seconds(60))
    #expect(observer.seen.values.count == 1)
    for _ in 0..<20 {
      session.changeStreams(of: .anonymous, by: 1)
      time.advance(by: .milliseconds(50))
    }
    #expect(observer.seen.values.dropFirst() == ["7: Ada", "12: Ada", "17: Ada", "22: Ada"])
    #expect(session.presence == Presence(count: 22, subscribers: [.init(name: "Ada", streams: 2)]))
    #expect(session.subscriberCount == 22)
  }

  @Test func `5,000 subscribers that leave at once are one publication`() throws {
    let session = try host().open("room", "main")
    let observer = Observer()
    session.observePresence(observer)
    for index in 0..<5000 { session.changeStreams(of: StreamOwner("s\(index)"), by: 1) }
    time.advance(by: .seconds(1))
    for index in 0..<5000 { session.changeStreams(of: StreamOwner("s\(index)"), by: -1) }
    time.advance(by: .seconds(60))
    #expect(observer.seen.values.map { $0.prefix(5) } == ["5000:", "0: "])
  }

  @Test func `an observer that was removed is not notified`() throws {
    let session = try host().open("room", "main")
    let observer = Observer()
    session.observePresence(observer)
    session.stopObservingPresence(observer)
    session.changeStreams(of: ada, by: 1)
    time.advance(by: .seconds(1))
    #expect(observer.seen.values == [])
  }

  @Test func `a reactor merges the subscribers into its actions`() async throws {
    let session = try host().open("room", "main")
    session.changeStreams(of: ada, by: 1)
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"1 {"names":["Ada"],"notes":[]}"#)
    // Another stream of the same name is no change for this reactor.
    session.changeStreams(of: ada, by: 1)
    session.changeStreams(of: StreamOwner("Ben"), by: 1)
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"2 {"names":["Ada","Ben"],"notes":[]}"#)
    session.changeStreams(of: ada, by: -1)
    time.advance(by: .milliseconds(250))
    session.changeStreams(of: ada, by: -1)
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"3 {"names":["Ben"],"notes":[]}"#)
    #expect(try await session.entries(after: 0, limit: 9).allSatisfy { $0.by == nil })
  }

  @Test func `the subscribers that a session had before its creation reach its reactor`() throws {
    let host = host()
    let reactor = try #require(host.reactor("room"))
    let absent = try blocking { try await reactor.streamSource("main") }
    let observer = Observer()
    absent.observePresence(observer)
    absent.changeStreams(of: ada, by: 1)
    absent.changeStreams(of: .anonymous, by: 1)
    let session = try host.open("room", "main")
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"1 {"names":["Ada"],"notes":[]}"#)
    #expect(observer.seen.values == ["2: Ada"])
    // The streams end at the source that they began at.
    absent.changeStreams(of: ada, by: -1)
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"2 {"names":[],"notes":[]}"#)
    #expect(observer.seen.values.last == "1: ")
    #expect(session.subscriberCount == 1)
  }

  @Test
  func `the presence action has no request context, also if a request loads the session`()
    throws
  {
    let host = host()
    let context = RequestContext(id: "r", principal: Principal(id: "eve"))
    try RequestContext.$current.withValue(context) {
      try host.open("room", "main").changeStreams(of: ada, by: 1)
    }
    time.advance(by: .milliseconds(250))
    #expect(try host.open("room", "main").shown == #"1 {"names":["Ada"],"notes":[]}"#)
  }

  @Test func `a session that is loaded again gets the subscribers of that moment`() throws {
    do {
      let session = try host().open("room", "main")
      session.changeStreams(of: ada, by: 1)
      time.advance(by: .milliseconds(250))
    }
    let session = try host().open("room", "main")
    #expect(session.shown == #"1 {"names":["Ada"],"notes":[]}"#)
    time.advance(by: .milliseconds(250))
    #expect(session.shown == #"2 {"names":[],"notes":[]}"#)
  }

  @Test func `a reactor that observes its subscribers can be evicted`() throws {
    let host = host()
    _ = try host.open("room", "main")
    for _ in 0..<2 { host.reactor("room")?.sweep() }
    #expect(host.reactor("room")?.liveSessionCount == 0)
    time.advance(by: .seconds(1))
  }

  @Test func `the subscribers of a fold and of the catalogue are never emitted`() throws {
    let host = host()
    let session = try host.open("room", "main")
    try session.send(#"{"note":"x"}"#)
    _ = host.reactor("room")?.description
    let report = try #require(try host.reactor("room")?.refold("main"))
    time.advance(by: .seconds(1))
    #expect(report.mutations == 1)
    #expect(session.shown == #"1 {"names":[],"notes":["x"]}"#)
  }
}
