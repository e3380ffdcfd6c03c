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
  ) throws -> [RunningEffect] {
    let lists = Recorder<[RunningEffect]>()
    session.effects(after: id, limit: limit) { if let list = $0 { lists.add(list) } }
    return try #require(lists.values.first)
  }

  private func actions(of effects: [RunningEffect]) -> [String] {
    effects.map { String(decoding: $0.action ?? [], as: UTF8.self) }
  }

  @discardableResult
  private func cancel(_ id: String, in session: any Session) -> Recorder<String> {
    let outcomes = Recorder<String>()
    session.cancelEffect(id) { outcomes.add("\($0)") }
    return outcomes
  }

  private func journal() throws -> [AcceptedAction] {
    try memory.session(SessionKey(reactor: "sample", id: "demo")).acceptedActions()
  }

  @Test func `running effects are listed with their actions, the earliest first`() throws {
    let session = try Stage(over: memory).session()
    let before = Timestamp.now
    #expect(try effects(of: session).isEmpty)
    for name in ["a", "b", "c"] { try session.send(#"{"hold":"\#(name)"}"#) }
    try session.send(#"{"add":1}"#)
    let running = try effects(of: session)
    #expect(
      actions(of: running) == [#"{"hold":"a"}"#, #"{"hold":"b"}"#, #"{"hold":"c"}"#])
    #expect(Set(running.map(\.id)).count == 3)
    #expect(running.allSatisfy { $0.progress == nil })
    #expect(running.allSatisfy { $0.startedAt.milliseconds >= before.milliseconds })
    #expect(try effects(of: session).map(\.id) == running.map(\.id))
  }

  @Test func `the list has pages`() throws {
    let session = try Stage(over: memory).session()
    for name in ["a", "b", "c"] { try session.send(#"{"hold":"\#(name)"}"#) }
    let first = try effects(of: session, limit: 2)
    #expect(actions(of: first) == [#"{"hold":"a"}"#, #"{"hold":"b"}"#])
    let second = try effects(of: session, after: first.last?.id, limit: 2)
    #expect(actions(of: second) == [#"{"hold":"c"}"#])
    // An effect id of another process has no position in this list, so all effects are returned.
    #expect(try effects(of: session, after: "other-1").count == 3)
  }

  @Test func `a cancelled effect has ended, and its mutations stay`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let outcomes = try session.send(#"{"hold":"a"}"#)
    let others = try session.send(#"{"hold":"b"}"#)
    stage.effects["a"].onNext(.add(2))
    let id = try #require(try effects(of: session).first?.id)
    #expect(outcomes.values.isEmpty)
    #expect(cancel(id, in: session).values == ["ended"])
    #expect(outcomes.values == [#"committed 1 {"value":2,"name":null,"ratio":null}"#])
    #expect(try journal().map { String(decoding: $0.action, as: UTF8.self) } == [#"{"hold":"b"}"#])
    stage.effects["a"].onNext(.add(100))
    stage.effects["b"].onNext(.add(1))
    #expect(session.shown == #"2 {"value":3,"name":null,"ratio":null}"#)
    #expect(others.values.isEmpty)
    #expect(actions(of: try effects(of: session)) == [#"{"hold":"b"}"#])
    #expect(session.activity.running == 1)
  }

  @Test(arguments: ["", "unknown", "1", "--"])
  func `the cancellation of an unknown effect succeeds`(id: String) throws {
    let session = try Stage(over: memory).session()
    try session.send(#"{"hold":"a"}"#)
    #expect(cancel(id, in: session).values == ["ended"])
    let running = try #require(try effects(of: session).first?.id)
    for _ in 0..<2 { #expect(cancel(running, in: session).values == ["ended"]) }
    #expect(try effects(of: session).isEmpty)
  }

  @Test func `the completion is called when the cancellation is durable`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let outcomes = try session.send(#"{"hold":"a"}"#)
    let id = try #require(try effects(of: session).first?.id)
    stage.log.set(.held)
    let first = cancel(id, in: session)
    let second = cancel(id, in: session)
    #expect(first.values.isEmpty)
    #expect(second.values.isEmpty)
    #expect(outcomes.values.isEmpty)
    #expect(stage.log.releaseOne())
    #expect(first.values == ["ended"])
    #expect(second.values == ["ended"])
    #expect(outcomes.values.count == 1)
    #expect(!stage.log.releaseOne())
  }

  @Test func `the completion is called during a publication`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let canceller = Canceller(session)
    _ = session.observe(canceller)
    stage.log.set(.held)
    try session.send(#"{"add":1}"#)
    stage.log.releaseAll()
    #expect(canceller.outcomes.values == ["ended"])
  }

  @Test func `the completion gets the error of a log that rejects the cancellation`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    try session.send(#"{"hold":"a"}"#)
    let id = try #require(try effects(of: session).first?.id)
    stage.log.set(.failing(.full))
    #expect(cancel(id, in: session).values.first?.contains("full") == true)
  }

  @Test func `the key of a cancelled action replays its outcome`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    try session.send(#"{"hold":"a"}"#, key: "k")
    let repetition = try session.send(#"{"hold":"a"}"#, key: "k")
    #expect(repetition.values == [])
    cancel(try #require(try effects(of: session).first?.id), in: session)
    #expect(
      repetition.values == [#"replayed committed 0 {"value":0,"name":null,"ratio":null}"#])
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values == [
        #"replayed committed 0 {"value":0,"name":null,"ratio":null}"#
      ])
  }

  @Test func `a cancelled action is not restarted, and its id is not reused`() throws {
    let session = try Stage(over: memory).session()
    try session.send(#"{"hold":"a"}"#)
    let id = try #require(try effects(of: session).first?.id)
    cancel(id, in: session)
    let stage = Stage(over: memory)
    stage.host.resumeInterruptedActions()
    #expect(stage.liveCount == 0)
    try stage.session().send(#"{"hold":"b"}"#)
    #expect(try effects(of: stage.session()).first?.id != id)
  }
}

/// Cancels an unknown effect at each commit.
private final class Canceller: SessionObserver {
  let outcomes = Recorder<String>()
  private let session: any Session

  init(_ session: any Session) {
    self.session = session
  }

  func sessionDidCommit(_ state: CommittedState) {
    session.cancelEffect("unknown") { [outcomes] in outcomes.add("\($0)") }
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}
