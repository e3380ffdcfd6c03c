import LogTestSupport
import ReactorStreams
import Synchronization
import Testing

@testable import ReactorHost

/// `StateSource.observe(_:)` is called with locks held: no source makes a callback from it.
///
/// ReactorClusterTests has the test of sessions that other nodes own.
struct ObservingTests {
  @TaskLocal private static var isObserving = false

  private final class Probe: SessionObserver {
    let nested = Recorder<String>()
    let seen = Recorder<Int>()

    func sessionDidCommit(_ state: CommittedState) {
      seen.add(state.version)
      if ObservingTests.isObserving { nested.add("\(state.version)") }
    }

    func sessionDidEnd(_ end: SessionEnd) {
      if ObservingTests.isObserving { nested.add("\(end)") }
    }
  }

  /// The kinds of sources, each in its states.
  enum Kind: CaseIterable {
    case session, withVersions, committing, ended, absent, created, deleted, global

    func source(on stage: Stage) throws -> any StateSource {
      switch self {
      case .session: return try stage.session()
      case .withVersions:
        let session = try stage.session()
        try session.send(#"{"add":1}"#)
        return session
      case .committing:
        let session = try stage.session()
        stage.log.set(.held)
        try session.send(#"{"add":1}"#)
        return session
      case .ended:
        let session = try stage.session()
        try stage.end()
        return session
      case .absent: return try absentSource(on: stage)
      case .created:
        let source = try absentSource(on: stage)
        _ = try stage.session()
        return source
      case .deleted:
        let source = try absentSource(on: stage)
        try stage.end()
        return source
      case .global: return Global<String?>("name", "Ada")
      }
    }

    /// The source of the streams of a session that does not exist.
    private func absentSource(on stage: Stage) throws -> any SessionSource {
      let reactor = try stage.reactor()
      return try blocking { try await reactor.streamSource("demo") }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a source makes no callback while an observer is added or removed`(kind: Kind) throws {
    let stage = Stage()
    let source = try kind.source(on: stage)
    let (first, second) = (Probe(), Probe())
    Self.$isObserving.withValue(true) {
      _ = source.observe(first)
      _ = source.observe(second)
      source.stopObserving(first)
      source.stopObserving(second)
      _ = source.observe(first)
    }
    #expect(first.nested.values.isEmpty)
    #expect(second.nested.values.isEmpty)
  }
}
