import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Telemetry
import TestSupport
import Testing

/// A fold is the live path: live bytes, the bytes of folds, and the bytes after a restart are equal.
struct LivePathTests {
  private let lines = Recorder<String>()

  private func host(over log: any MutationLog, snapshots: Int, isShown: Bool) -> Host {
    var settings = HostSettings()
    settings.snapshotInterval = snapshots
    settings.mutationCheck = .always
    return Host(
      [
        ReactorRegistration("pages", summary: "Pages") { context -> PagesReactor in
          let other = context.session(SampleReactor.self, "sample", "other")
          return isShown
            ? ShownPagesReactor(page: 3, other: other) : PagesReactor(page: 3, other: other)
        },
        ReactorRegistration("sample", summary: "A sample") {
          SampleReactor(effects: EffectBoard(), name: .empty())
        },
      ], log: log, settings: settings,
      logger: Logger(level: .error) { [lines] _, message, fields in
        lines.add("\(message) \(fields)")
      })
  }

  @Test(arguments: 1...12)
  func `every fold has the bytes of the live session`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let isShown = seed % 2 == 0
    let snapshots = seed % 3 == 0 ? 1000 : Int.random(in: 2...7, using: &random)
    let log = MemoryLog()
    var host = host(over: log, snapshots: snapshots, isShown: isShown)
    var session = try host.open("pages", "p", for: .ensure)
    var live = [session.current.words]
    for _ in 1...40 {
      if Int.random(in: 0..<6, using: &random) == 0 {
        // A restart: another host over the same log.
        host = self.host(over: log, snapshots: snapshots, isShown: isShown)
        session = try host.open("pages", "p")
        #expect(session.current.words == live.last)
      }
      let mutation = PagesReactor.Mutation.allCases.randomElement(using: &random)!
      let watcher = Watcher()
      _ = session.observe(watcher)
      try session.send(#"{"go":"\#(mutation)"}"#)
      session.stopObserving(watcher)
      live += watcher.seen.values
      #expect(live.last == session.shown)
    }
    let replay = try await session.replay(after: nil)
    #expect(try await replay.next(limit: 1000).map(\.words) == live)
    for version in live.indices {
      #expect(try await session.state(at: version).words == live[version])
      let copy = try fork(host, at: version, to: "copy-\(version)")
      #expect(copy.current.words == live[version])
    }
    let restarted = try self.host(over: log, snapshots: snapshots, isShown: isShown)
      .open("pages", "p")
    #expect(restarted.shown == live.last)
    #expect(lines.values == [])
    #expect(try #require(host.reactor("pages")).refold("p").impurity == nil)
  }

  @Test(arguments: [true, false])
  func `a snapshot with sets in the order of the release before is the same State`(
    hasTypes: Bool
  ) async throws {
    let log = MemoryLog()
    let host = host(over: log, snapshots: 1000, isShown: false)
    let session = try host.open("pages", "p", for: .ensure)
    for _ in 1...9 { try session.send(#"[{"go":"turn"},{"go":"mark"}]"#) }
    let state = try await session.state(at: 16)
    let text = String(decoding: state.json, as: UTF8.self)
    let sorted = try #require(text.firstMatch(of: /"marks":\[(.*?)\]/)).1
    #expect(sorted.contains(","))
    // Any order that is not that of the bytes is one of a release before.
    let reversed = sorted.split(separator: ",").reversed().joined(separator: ",")
    let former = text.replacing(sorted, with: reversed)
    #expect(former != text)
    let types = ReactorRegistration("pages", summary: "") { PagesReactor(page: 0) }.schema
    log.session(SessionKey(reactor: "pages", id: "p")).save(
      Snapshot(version: 16, state: Array(former.utf8), schema: hasTypes ? types : ""),
      of: session.epoch)
    let restarted = self.host(over: log, snapshots: 1000, isShown: false)
    let loaded = try restarted.open("pages", "p")
    #expect(loaded.shown == session.shown)
    #expect(try await loaded.state(at: 16).words == state.words)
    #expect(try await loaded.state(at: 17).words == session.state(at: 17).words)
    let report = try #require(restarted.reactor("pages")).refold("p")
    #expect(report.snapshots == 1)
    #expect(report.findings.isEmpty)
    #expect(report.impurity == nil)
    #expect(lines.values == [])
  }

  @Test func `a fold does not repeat what reduce has sent`() async throws {
    let log = MemoryLog()
    let host = host(over: log, snapshots: 1000, isShown: false)
    let session = try host.open("pages", "p", for: .ensure)
    let other = try host.open("sample", "other")
    try session.send(#"{"go":"tell"}"#)
    try await eventually { other.current.version == 1 }
    _ = try await session.state(at: 1)
    _ = try await session.replay(after: nil).next(limit: 10)
    _ = try fork(host, at: 1, to: "copy")
    // Sends are delivered in order: those of the folds would arrive before this one.
    try session.send(#"{"go":"tell"}"#)
    try await eventually { other.current.version >= 2 }
    #expect(other.shown == #"2 {"value":2,"name":null,"ratio":null}"#)
  }

  @Test func `a fold belongs to no request`() async throws {
    let registration = ReactorRegistration("flawed", summary: "") {
      FlawedReactor(.request, clock: FlawedClock())
    }
    var settings = HostSettings()
    settings.mutationCheck = .never
    let session = try Host([registration], settings: settings).open("flawed", "a", for: .ensure)
    try session.send(#""next""#)
    let request = RequestContext(id: "reader")
    let state = try await RequestContext.$current.withValue(request) {
      try await session.state(at: 0)
    }
    #expect(state.words.contains(#""value":"""#))
    try session.send(#""next""#)
    let past = try await RequestContext.$current.withValue(request) {
      try await session.state(at: 1)
    }
    #expect(past.words.contains(#""value":"none""#))
  }

  private func fork(_ host: Host, at version: Int, to id: String) throws -> any Session {
    let reactor = try #require(host.reactor("pages"))
    return try blocking { try await reactor.fork("p", at: version, to: id).session }
  }
}
