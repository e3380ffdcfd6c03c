import LogTestSupport
import ReactorCore
import ReactorStreams
import Testing

@testable import ReactorHost

/// The sources of streams of sessions that do not exist.
struct AbsentSessionTests {
  @TaskLocal private static var isInSetter = false

  /// Leaves an absent session when its session publishes its activity.
  private final class LeavingObserver: ActivityObserver, SignalObserver {
    let source: any SessionSource
    let signals = Recorder<SessionSignal>()

    init(_ source: any SessionSource) {
      self.source = source
    }

    func activityDidChange(_ activity: SessionActivity) {
      source.stopObservingSignals(self)
    }

    func didReceive(_ signal: SessionSignal) {
      signals.add(signal)
    }
  }

  private func source(_ id: String, of host: Host, _ reactor: String) throws -> any SessionSource {
    let reactor = try #require(host.reactor(reactor))
    return try blocking { try await reactor.streamSource(id) }
  }

  /// Creates a reactor and records whether the thread that sets the global does.
  private static func reactor(
    _ name: Global<String?>, _ creations: Recorder<Bool>
  ) -> SampleReactor {
    creations.add(isInSetter)
    return SampleReactor(effects: EffectBoard(), name: name.asObservable())
  }

  private func absent(_ host: Host, _ reactor: String) throws -> [String] {
    try #require(host.reactor(reactor) as? ReactorRuntime).environment.absent.all.sorted()
  }

  @Test func `an observer that leaves while the session is created is removed from it`() throws {
    let stage = Stage()
    let source = try source("demo", of: stage.host, "sample")
    let observer = LeavingObserver(source)
    source.observeSignals(observer)
    source.observeActivity(observer)
    let session = try stage.session()
    session.publish(SessionSignal(Array("1".utf8), from: nil))
    #expect(observer.signals.values.isEmpty)
  }

  @Test func `a source is in the table until its session is created or deleted`() throws {
    let stage = Stage()
    let sources = try ["a", "b", "c"].map { try source($0, of: stage.host, "sample") }
    #expect(try absent(stage.host, "sample") == ["a", "b", "c"])
    _ = try stage.session("a")
    try stage.end("b")
    #expect(try absent(stage.host, "sample") == ["c"])
    withExtendedLifetime(sources) {}
  }

  @Test func `setting a global creates the sessions with streams on another thread`() async throws {
    let name = Global<String?>("name", nil)
    let creations = Recorder<Bool>()
    let host = Host(
      [
        ReactorRegistration("sample", summary: "A sample") { Self.reactor(name, creations) }
      ], globals: [name])
    let sources = try (0..<200).map { try source("s\($0)", of: host, "sample") }
    try await Self.$isInSetter.withValue(true) { _ = try await name.set("Ada") }
    try await eventually { sources.allSatisfy { $0.current.version == 1 } }
    #expect(!creations.values.contains(true))
    try await eventually { try self.absent(host, "sample").isEmpty }
  }

  private func found(_ id: String, of host: Host) throws -> CommittedState? {
    let reactor = try #require(host.reactor("sample"))
    guard case .absent(let state)? = try? blocking({ try await reactor.findSession(id) }) else {
      return nil
    }
    return state
  }

  @Test func `reading a session that does not exist creates its reactor once`() throws {
    let name = Global<String?>("name", nil)
    let creations = Recorder<Bool>()
    var settings = HostSettings()
    // The check of a debug build creates another instance.
    settings.mutationCheck = .never
    let host = Host(
      [
        ReactorRegistration("sample", summary: "A sample") { Self.reactor(name, creations) }
      ], globals: [name], settings: settings)
    let before = creations.values.count
    #expect(try found("demo", of: host)?.words == #"0 {"value":0,"name":null,"ratio":null}"#)
    #expect(creations.values.count == before + 1)
  }

  @Test func `a source shows the State with which the session would begin`() throws {
    let stage = Stage()
    let plain = try #require(try found("demo", of: stage.host))
    #expect(plain.words == #"0 {"value":0,"name":null,"ratio":null}"#)
    try stage.name.set("Ada")
    let named = #"0 {"value":0,"name":"Ada","ratio":null}"#
    let source = try source("demo", of: stage.host, "sample")
    let watcher = Watcher()
    #expect(source.observe(watcher)?.words == named)
    let absent = try #require(try found("demo", of: stage.host))
    #expect(absent.words == named)
    #expect(absent.cursor == source.current.cursor)
    // Another State never has the same cursor.
    #expect(absent.cursor != plain.cursor)
    #expect(source.epoch == absent.cursor.epoch)
    #expect(stage.liveCount == 0)
    #expect(try stage.log.session(SessionKey(reactor: "sample", id: "demo")).record() == .none)
    // The State beneath that of the first action is the same.
    let session = try stage.session()
    try session.send(#"{"add":1}"#)
    #expect(
      watcher.seen.values == [
        #"1 {"value":0,"name":"Ada","ratio":null}"#, #"2 {"value":1,"name":"Ada","ratio":null}"#,
      ])
    #expect(source.current.cursor == session.current.cursor)
  }

  @Test func `a global that is set again reaches the streams of a session that does not exist`()
    async throws
  {
    let stage = Stage()
    try await stage.name.set("Ada")
    let source = try source("demo", of: stage.host, "sample")
    let before = source.current.cursor
    let watcher = Watcher()
    #expect(source.observe(watcher) != nil)
    try await stage.name.set("Bob")
    try await eventually { watcher.seen.values == [#"1 {"value":0,"name":"Bob","ratio":null}"#] }
    #expect(source.current.cursor.epoch != before.epoch)
  }

  @Test(arguments: [nil, "Ada"])
  func `the first action can expect the cursor of a session that does not exist`(
    name: String?
  ) throws {
    let stage = Stage()
    if let name { try stage.name.set(name) }
    let cursor = try #require(try found("demo", of: stage.host)).cursor
    try stage.name.set(name == nil ? nil : "Bob")
    let other = try stage.session().send(#"{"add":1}"#, ifAt: [cursor])
    #expect(other.values.first?.hasPrefix(name == nil ? "committed" : "mismatch") == true)
    if let name { try stage.name.set(name) }
    let second = try #require(try found("second", of: stage.host)).cursor
    let session = try stage.session("second")
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [second]).values.first?.hasPrefix("committed") == true)
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [second]).values.first?.hasPrefix("mismatch") == true)
  }

  @Test func `reading a session that does not exist counts nothing`() async throws {
    let stage = Stage()
    try await stage.name.set("Ada")
    let runtime = try #require(stage.host.reactor("sample") as? ReactorRuntime)
    let before = runtime.counts.mutations.value
    for index in 0..<10 { #expect(try found("\(index)", of: stage.host) != nil) }
    #expect(runtime.counts.mutations.value == before)
    #expect(runtime.liveSessionCount == 0)
    #expect(stage.liveCount == 0)
    #expect(try await runtime.sessions(after: nil, limit: 100).isEmpty)
  }
}
