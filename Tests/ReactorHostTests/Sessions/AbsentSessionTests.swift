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
    let sources = Recorder<any SessionSource>()
    try #require(host.reactor(reactor)).streamSource(id) {
      if case .success(let source) = $0 { sources.add(source) }
    }
    return try #require(sources.values.first)
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
    try Self.$isInSetter.withValue(true) { try name.set("Ada") }
    try await eventually { sources.allSatisfy { $0.current.version == 1 } }
    #expect(!creations.values.contains(true))
    try await eventually { try self.absent(host, "sample").isEmpty }
  }
}
