import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// Running effects: the list and the cancellation.
@Suite struct EffectsTests {
  private let memory = MemoryLog()

  private func effects(
    of session: any Session, after id: String? = nil, limit: Int = 10
  ) async throws -> [RunningEffect] {
    try await session.effects(after: id, limit: limit)
  }

  private func actions(of effects: [RunningEffect]) -> [String] {
    effects.map { String(decoding: $0.action ?? [], as: UTF8.self) }
  }

  private func journal() throws -> [AcceptedAction] {
    try memory.session(SessionKey(reactor: "sample", id: "demo")).acceptedActions()
  }

  @Test func `running effects are listed with their actions, the earliest first`() async throws {
    let session = try Stage(over: memory).session()
    let before = Timestamp.now
    #expect(try await effects(of: session).isEmpty)
    for name in ["a", "b", "c"] { try session.send(#"{"hold":"\#(name)"}"#) }
    try session.send(#"{"add":1}"#)
    let running = try await effects(of: session)
    #expect(
      actions(of: running) == [#"{"hold":"a"}"#, #"{"hold":"b"}"#, #"{"hold":"c"}"#])
    #expect(Set(running.map(\.id)).count == 3)
    #expect(running.allSatisfy { $0.progress == nil })
    #expect(running.allSatisfy { $0.startedAt.milliseconds >= before.milliseconds })
    #expect(try await effects(of: session).map(\.id) == running.map(\.id))
  }

  @Test func `the list has pages`() async throws {
    let session = try Stage(over: memory).session()
    for name in ["a", "b", "c"] { try session.send(#"{"hold":"\#(name)"}"#) }
    let first = try await effects(of: session, limit: 2)
    #expect(actions(of: first) == [#"{"hold":"a"}"#, #"{"hold":"b"}"#])
    let second = try await effects(of: session, after: first.last?.id, limit: 2)
    #expect(actions(of: second) == [#"{"hold":"c"}"#])
    // An effect id of another process has no position in this list, so all effects are returned.
    #expect(try await effects(of: session, after: "other-1").count == 3)
  }

  @Test func `a cancelled effect has ended, and its mutations stay`() async throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let outcomes = try session.send(#"{"hold":"a"}"#)
    let others = try session.send(#"{"hold":"b"}"#)
    stage.effects["a"].onNext(.add(2))
    let id = try #require(try await effects(of: session).first?.id)
    #expect(outcomes.values.isEmpty)
    try await session.cancelEffect(id)
    #expect(outcomes.values == [#"committed 1 {"value":2,"name":null,"ratio":null}"#])
    #expect(try journal().map { String(decoding: $0.action, as: UTF8.self) } == [#"{"hold":"b"}"#])
    stage.effects["a"].onNext(.add(100))
    stage.effects["b"].onNext(.add(1))
    #expect(session.shown == #"2 {"value":3,"name":null,"ratio":null}"#)
    #expect(others.values.isEmpty)
    #expect(actions(of: try await effects(of: session)) == [#"{"hold":"b"}"#])
    #expect(session.activity.running == 1)
  }

  @Test(arguments: ["", "unknown", "1", "--"])
  func `the cancellation of an unknown effect succeeds`(id: String) async throws {
    let session = try Stage(over: memory).session()
    try session.send(#"{"hold":"a"}"#)
    try await session.cancelEffect(id)
    let running = try #require(try await effects(of: session).first?.id)
    for _ in 0..<2 { try await session.cancelEffect(running) }
    #expect(try await effects(of: session).isEmpty)
  }

  @Test func `a cancellation returns when it is durable`() async throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let outcomes = try session.send(#"{"hold":"a"}"#)
    let id = try #require(try await effects(of: session).first?.id)
    stage.log.set(.held)
    let cancelled = Recorder<String>()
    let cancellations = (0..<2).map { _ in
      Task.immediate {
        try await session.cancelEffect(id)
        cancelled.add(id)
      }
    }
    #expect(cancelled.values.isEmpty)
    #expect(outcomes.values.isEmpty)
    #expect(stage.log.releaseOne())
    for cancellation in cancellations { try await cancellation.value }
    #expect(outcomes.values.count == 1)
    #expect(!stage.log.releaseOne())
  }

  @Test func `an effect is cancelled during a publication`() async throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let canceller = Canceller(session)
    _ = session.observe(canceller)
    stage.log.set(.held)
    try session.send(#"{"add":1}"#)
    stage.log.releaseAll()
    for cancellation in canceller.cancellations.values { try await cancellation.value }
    #expect(canceller.cancellations.values.count == 1)
  }

  @Test func `a cancellation that the log rejects throws its error`() async throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    try session.send(#"{"hold":"a"}"#)
    let id = try #require(try await effects(of: session).first?.id)
    stage.log.set(.failing(.full))
    await #expect(throws: SessionError.log(.full)) { try await session.cancelEffect(id) }
  }

  @Test func `the key of a cancelled action replays its outcome`() async throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    try session.send(#"{"hold":"a"}"#, key: "k")
    let repetition = try session.send(#"{"hold":"a"}"#, key: "k")
    #expect(repetition.values == [])
    try await session.cancelEffect(try #require(try await effects(of: session).first?.id))
    #expect(
      repetition.values == [#"replayed committed 0 {"value":0,"name":null,"ratio":null}"#])
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values == [
        #"replayed committed 0 {"value":0,"name":null,"ratio":null}"#
      ])
  }

  @Test func `a cancelled action is not restarted, and its id is not reused`() async throws {
    let session = try Stage(over: memory).session()
    try session.send(#"{"hold":"a"}"#)
    let id = try #require(try await effects(of: session).first?.id)
    try await session.cancelEffect(id)
    let stage = Stage(over: memory)
    await stage.host.resumeInterruptedActions()
    #expect(stage.liveCount == 0)
    try stage.session().send(#"{"hold":"b"}"#)
    #expect(try await effects(of: stage.session()).first?.id != id)
  }
}

/// Cancels an unknown effect at each commit.
private final class Canceller: SessionObserver {
  let cancellations = Recorder<Task<Void, any Error>>()
  private let session: any Session

  init(_ session: any Session) {
    self.session = session
  }

  func sessionDidCommit(_ state: CommittedState) {
    cancellations.add(Task.immediate { [session] in try await session.cancelEffect("unknown") })
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}
