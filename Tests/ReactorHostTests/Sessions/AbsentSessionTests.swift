import ReactorCore
import ReactorStreams
import Testing

@testable import ReactorHost

/// The sources of streams of sessions that do not exist.
struct AbsentSessionTests {
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
}
