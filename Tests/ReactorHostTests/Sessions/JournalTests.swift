import ReactorHost
import ReactorStreams
import Testing

/// Accepted actions, and what becomes of them when the process ends before they do.
@Suite struct JournalTests {
  private let memory = MemoryLog()

  private func journal(_ id: String = "demo") throws -> [AcceptedAction] {
    try memory.session(SessionKey(reactor: "sample", id: id)).acceptedActions()
  }

  // MARK: Accepting

  @Test func `an action that is done at once is not written down`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    stage.log.set(.held)
    let accepted = Recorder<Int>()
    let answers = try session.send(#"{"addTwice":1}"#, accepted: accepted)
    #expect(stage.log.releaseOne())
    #expect(answers.values.count == 1)
    #expect(!stage.log.releaseOne())
    #expect(accepted.values.isEmpty)
    #expect(try journal().isEmpty)
  }

  @Test func `an action that goes on is accepted once that is committed`() throws {
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

  @Test func `the end of an action takes it out with its last mutation`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    let answers = try session.send(#"{"hold":"a"}"#)
    stage.log.set(.held)
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onCompleted()
    #expect(stage.log.releaseOne())
    #expect(try journal().count == 1)
    #expect(stage.log.releaseOne())
    #expect(try journal().isEmpty)
    #expect(answers.values.first?.hasPrefix("committed 2") == true)
    #expect(stage.log.appends.values.suffix(2) == [[0, 1], [1, 2]])
  }

  @Test func `an action that cannot be written down is not accepted`() throws {
    let stage = Stage(over: memory)
    let session = try stage.session()
    stage.log.set(.failing(.full))
    let accepted = Recorder<Int>()
    let answers = try session.send(#"{"hold":"a"}"#, accepted: accepted)
    #expect(accepted.values.isEmpty)
    #expect(answers.values == ["not committed: full"])
  }

  @Test func `an ended session has nothing to go on with`() throws {
    let stage = Stage(over: memory)
    try stage.session().send(#"{"hold":"a"}"#)
    try stage.end()
    #expect(memory.unfinishedSessions(after: nil, limit: 10).isEmpty)
    _ = try stage.session(for: .ensure)
    #expect(try journal().isEmpty)
  }

  // MARK: After a restart

  @Test func `what was cut off is run again, and its session comes to memory by itself`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    stage.host.resumeInterruptedActions()
    #expect(stage.liveCount == 1)
    #expect(try journal().map(\.runs) == [2])
    stage.effects["a"].onNext(.add(4))
    #expect(try stage.session().shown == #"1 {"value":4,"name":null,"ratio":null}"#)
    stage.effects["a"].onCompleted()
    #expect(try journal().isEmpty)
    #expect(
      try stage.session().entries(after: 0, limit: 9).map(\.words) == [#"1 {"hold":"a"} {"add":4}"#]
    )
  }

  @Test func `who asks for the session first finds its actions running`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    try stage.session().send(#"{"add":1}"#)
    stage.effects["a"].onNext(.add(4))
    #expect(try stage.session().shown == #"2 {"value":5,"name":null,"ratio":null}"#)
  }

  @Test func `the key of an action that is run again stands for its answer`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#, key: "k")
    let stage = Stage(over: memory)
    let session = try stage.session()
    #expect(try session.send(#"{"hold":"a"}"#, key: "k").values == ["running"])
    #expect(try session.send(#"{"hold":"b"}"#, key: "k").values == ["key reused"])
    stage.effects["a"].onNext(.add(4))
    stage.effects["a"].onCompleted()
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values == [
        #"replayed committed 1 {"value":4,"name":null,"ratio":null}"#
      ])
  }

  @Test func `of an array only what was not done is run again, and a failure is remembered`() throws
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

  @Test func `a reactor may have its actions given up`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#, key: "k")
    let lines = Recorder<String>()
    let logger = Logger(level: .error) { _, message, _ in lines.add(message) }
    let stage = Stage(over: memory, whenInterrupted: .giveUp, logger: logger)
    stage.host.resumeInterruptedActions()
    #expect(lines.values == ["interrupted action is given up"])
    #expect(try journal().isEmpty)
    let session = try stage.session()
    #expect(session.current.version == 0)
    #expect(
      try session.send(#"{"hold":"a"}"#, key: "k").values.first?.hasPrefix("replayed failed")
        == true)
  }

  @Test func `an action that never comes to its end is given up after some starts`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let lines = Recorder<String>()
    let logger = Logger(level: .error) { _, message, _ in lines.add(message) }
    for start in 2...4 {
      #expect(lines.values.isEmpty)
      Stage(over: memory, logger: logger) { $0.runLimit = 3 }.host.resumeInterruptedActions()
      #expect(try journal().map(\.runs) == (start <= 3 ? [start] : []))
    }
    #expect(lines.values == ["interrupted action is given up"])
  }

  @Test func `no action is run again before that is committed`() throws {
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

  @Test func `actions that a failing log has cut off go on when it works again`() throws {
    let stage = Stage(over: memory)
    try stage.session().send(#"{"hold":"a"}"#)
    stage.host.resumeInterruptedActions()
    stage.log.set(.failing(.full))
    stage.effects["a"].onNext(.add(1))
    #expect(!stage.effects["a"].hasObservers)
    stage.host.resumeInterruptedActions()
    #expect(!stage.effects["a"].hasObservers)
    stage.log.set(.atOnce)
    stage.host.resumeInterruptedActions()
    #expect(stage.effects["a"].hasObservers)
    stage.effects["a"].onNext(.add(7))
    #expect(try stage.session().shown == #"1 {"value":7,"name":null,"ratio":null}"#)
  }

  @Test func `a session that runs again does not leave memory`() throws {
    try Stage(over: memory).session().send(#"{"hold":"a"}"#)
    let stage = Stage(over: memory)
    stage.host.resumeInterruptedActions()
    try stage.sweep()
    #expect(stage.liveCount == 1)
  }
}
