import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Telemetry
import Testing

/// Accepted actions, and their recovery after the end of the process.
@Suite struct JournalTests {
  private let memory = MemoryLog()

  private func journal(_ id: String = "demo") throws -> [AcceptedAction] {
    try memory.session(SessionKey(reactor: "sample", id: id)).acceptedActions()
  }

  // MARK: Accepting

  @Test func `an action that ends in its turn is not journalled`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    stage.log.set(.held)
    let accepted = Recorder<Int>()
    let outcomes = try session.send(#"{"addTwice":1}"#, accepted: accepted)
    #expect(stage.log.releaseOne())
    #expect(outcomes.values.count == 1)
    #expect(!stage.log.releaseOne())
    #expect(accepted.values.isEmpty)
    #expect(try journal().isEmpty)
  }

  @Test func `an action with a running effect is accepted when its journal record is committed`()
    throws
  {
    let stage = Stage(over: memory)
    let session = try stage.session()
    stage.log.set(.held)
    let accepted = Recorder<Int>()
    try session.send(#"{"hold":"a"}"#, accepted: accepted)
    #expect(accepted.values.isEmpty)
    stage.log.releaseAll()
    #expect(accepted.values == [0])
    #expect(try journal().map { String(decoding: $0.action, as: UTF8.self) } == [#"{"hold":"a"}"#])
  }

  @Test func `an action leaves the journal with its last mutation`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let outcomes = try session.send(#"{"hold":"a"}"#)
    stage.log.set(.held)
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onCompleted()
    #expect(stage.log.releaseOne())
    #expect(try journal().count == 1)
    #expect(stage.log.releaseOne())
    #expect(try journal().isEmpty)
    #expect(outcomes.values.first?.hasPrefix("committed 2") == true)
    #expect(stage.log.appends.values.suffix(2) == [[0, 1], [1, 2]])
  }

  @Test func `an action whose journal record is rejected is not accepted`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    stage.log.set(.failing(.full))
    let accepted = Recorder<Int>()
    let outcomes = try session.send(#"{"hold":"a"}"#, accepted: accepted)
    #expect(accepted.values.isEmpty)
    #expect(outcomes.values == ["not committed: full"])
  }

  @Test func `an ended session has no journal`() throws {
    let stage = Stage(over: memory)
    try stage.session().send(#"{"hold":"a"}"#)
    try stage.end()
    #expect(try memory.unfinishedSessions(after: nil, limit: 10).isEmpty)
    _ = try stage.session(for: .ensure)
    #expect(try journal().isEmpty)
  }

  // MARK: After a restart

  @Test func `an interrupted action is started again, and its session is loaded for it`()
    async throws
  {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    await stage.host.resumeInterruptedActions()
    #expect(stage.liveCount == 1)
    #expect(try journal().map(\.runs) == [2])
    stage.effects["a"].onNext(.add(4))
    #expect(try stage.session().shown == #"1 {"value":4,"name":null,"ratio":null}"#)
    stage.effects["a"].onCompleted()
    #expect(try journal().isEmpty)
    #expect(
      try await stage.session().entries(after: 0, limit: 9).map(\.words) == [
        #"1 {"hold":"a"} {"add":4}"#
      ]
    )
  }

  @Test func `an interrupted action keeps the principal of its request`() async throws {
    let ada = Principal(
      id: "ada",
      claims: Claims([
        ("role", .array([.string("staff")])), ("n", .number(1.5)), ("o", .object(Claims())),
        ("b", .boolean(true)), ("z", .null),
      ]), expiry: 7)
    try Stage(over: memory).session().send(#"{"hold":"a"}"#, by: ada)
    let stored = try #require(try journal().first?.principal)
    #expect(try JSONCoder.decode(Principal.self, from: stored) == ada)
    let stage = Stage(over: memory)
    await stage.host.resumeInterruptedActions()
    stage.effects["a"].onNext(.add(4))
    #expect(try await stage.session().entries(after: 0, limit: 9).map(\.by) == ["ada"])
    #expect(try journal().first?.principal == stored)
  }

  @Test func `the first use of a session finds its interrupted actions running`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    try stage.session().send(#"{"add":1}"#)
    stage.effects["a"].onNext(.add(4))
    #expect(try stage.session().shown == #"2 {"value":5,"name":null,"ratio":null}"#)
  }

  @Test func `the key of a restarted action replays its outcome`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#, key: "k")
    let stage = Stage(over: memory)
    let session = try stage.session()
    let accepted = Recorder<Int>()
    let waiting = try session.send(#"{"hold":"a"}"#, key: "k", accepted: accepted)
    #expect(waiting.values.isEmpty && accepted.values == [0])
    #expect(try session.send(#"{"hold":"b"}"#, key: "k").values == ["key reused"])
    stage.effects["a"].onNext(.add(4))
    stage.effects["a"].onCompleted()
    #expect(waiting.values == [#"replayed committed 1 {"value":4,"name":null,"ratio":null}"#])
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values == [
        #"replayed committed 1 {"value":4,"name":null,"ratio":null}"#
      ])
  }

  @Test func `only the unfinished actions of an array are restarted, and its failure is stored`()
    throws
  {
    let first = Stage(over: memory)
    try first.session().send(
      #"[{"add":1},{"hold":"a"},{"hold":"b"},{"hold":"c"}]"#, key: "k")
    first.effects["a"].onError(Mishap())
    first.effects["c"].onCompleted()
    #expect(try journal().map(\.id.place) == [1, 2])
    let stage = Stage(over: memory)
    let session = try stage.session()
    #expect(session.current.version == 1)
    stage.effects["b"].onCompleted()
    #expect(try journal().isEmpty)
    #expect(
      try session.send(#"[{"add":1},{"hold":"a"},{"hold":"b"},{"hold":"c"}]"#, key: "k").values
        .first?.hasSuffix(" at 1") == true)
  }

  @Test func `a reactor can give up its interrupted actions`() async throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#, key: "k")
    let lines = Recorder<String>()
    let logger = Logger(level: .error) { _, message, _ in lines.add(message) }
    let stage = Stage(over: memory, whenInterrupted: .giveUp, logger: logger)
    await stage.host.resumeInterruptedActions()
    #expect(lines.values == ["interrupted action is given up"])
    #expect(try journal().isEmpty)
    let session = try stage.session()
    #expect(session.current.version == 0)
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values.first?.hasPrefix("replayed failed")
        == true)
  }

  @Test func `an action that never ends is given up after some starts`() async throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let lines = Recorder<String>()
    let logger = Logger(level: .error) { _, message, _ in lines.add(message) }
    for start in 2...4 {
      #expect(lines.values.isEmpty)
      await Stage(over: memory, logger: logger) { $0.runLimit = 3 }.host.resumeInterruptedActions()
      #expect(try journal().map(\.runs) == (start <= 3 ? [start] : []))
    }
    #expect(lines.values == ["interrupted action is given up"])
  }

  @Test func `repeated starts of an action by one process count as one start`() async throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let hosts = (0..<2).map { _ in Stage(over: memory) { $0.runLimit = 4 } }
    for turn in 0..<8 {
      let stage = hosts[turn % 2]
      stage.log.set(.atOnce)
      await stage.host.resumeInterruptedActions()
      #expect(stage.effects["a"].hasObservers)
      #expect(try journal().map(\.runs) == [min(turn, 1) + 2])
      stage.log.set(.failing(.full))
      stage.effects["a"].onNext(.add(1))
      #expect(!stage.effects["a"].hasObservers)
    }
  }

  @Test func `no action is restarted before the number of its starts is committed`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    stage.log.set(.held)
    let opened = try stage.open()
    #expect(opened.values.isEmpty)
    #expect(!stage.effects["a"].hasObservers)
    stage.log.releaseAll()
    #expect(stage.effects["a"].hasObservers)
    #expect(opened.values.count == 1)
  }

  @Test func `actions that a failed log interrupted are resumed when it works again`() async throws
  {
    let stage = Stage(over: memory)
    try stage.session().send(#"{"hold":"a"}"#)
    await stage.host.resumeInterruptedActions()
    stage.log.set(.failing(.full))
    stage.effects["a"].onNext(.add(1))
    #expect(!stage.effects["a"].hasObservers)
    await stage.host.resumeInterruptedActions()
    #expect(!stage.effects["a"].hasObservers)
    stage.log.set(.atOnce)
    await stage.host.resumeInterruptedActions()
    #expect(stage.effects["a"].hasObservers)
    stage.effects["a"].onNext(.add(7))
    #expect(try stage.session().shown == #"1 {"value":7,"name":null,"ratio":null}"#)
  }

  @Test func `a session with restarted actions is not evicted`() async throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    await stage.host.resumeInterruptedActions()
    try stage.sweep()
    #expect(stage.liveCount == 1)
  }
}
