import ReactorHost
import ReactorStreams
import Testing

/// First it is committed, then it is told.
struct CommitTests {
  private let stage = Stage()

  private func state(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  @Test func `nothing is told before the log has it`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    stage.log.set(.held)
    let answers = try session.send(#"{"add":1}"#)
    #expect(answers.values.isEmpty)
    #expect(watcher.told.values.isEmpty)
    #expect(session.shown == "0 \(state(0))")
    #expect(try session.entries(after: 0, limit: 10).isEmpty)
    stage.log.releaseAll()
    #expect(answers.values == ["committed 1 \(state(1))"])
    #expect(watcher.told.values == ["1 \(state(1))"])
  }

  @Test func `observers hear of a commit before it is answered`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { watcher.told.add($0.words) })
    #expect(watcher.told.values == ["1 \(state(1))", "committed 1 \(state(1))"])
  }

  @Test func `what arrives during an append goes with the next one`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    stage.log.set(.held)
    let first = try session.send(#"{"add":1}"#)
    let second = try session.send(#"{"addTwice":10}"#)
    let third = try session.send(#"{"add":100}"#)
    #expect(stage.log.appends.values == [[0, 1]])
    stage.log.releaseOne()
    #expect(first.values == ["committed 1 \(state(1))"])
    #expect(second.values.isEmpty && third.values.isEmpty)
    #expect(stage.log.appends.values == [[0, 1], [1, 2, 3, 4]])
    stage.log.releaseOne()
    // One state a version is told, and the requests of a batch are answered with its last.
    #expect(second.values == ["committed 4 \(state(121))"])
    #expect(third.values == second.values)
    #expect(
      watcher.told.values == [
        "1 \(state(1))", "2 \(state(11))", "3 \(state(21))", "4 \(state(121))",
      ])
  }

  @Test func `what arrives until the log asks for it goes in one batch`() throws {
    let session = try stage.session()
    stage.log.holdSources()
    let first = try session.send(#"{"add":1}"#)
    let second = try session.send(#"{"add":10}"#)
    #expect(stage.log.appends.values.isEmpty)
    #expect(stage.log.askSources() == 1)
    #expect(stage.log.appends.values == [[0, 1, 2]])
    #expect(first.values == ["committed 2 \(state(11))"])
    #expect(second.values == first.values)
    #expect(stage.log.askSources() == 0)
  }

  @Test func `who is asked in the midst of a request appends at its end`() throws {
    let session = try stage.session()
    let log = stage.log
    log.holdSources()
    stage.effects.set({ log.askSources() }, for: "p")
    let first = try session.send(#"{"add":1}"#)
    let second = try session.send(#"[{"add":10},{"pause":"p"},{"add":100}]"#)
    #expect(log.appends.values.isEmpty)
    #expect(log.askSources() == 1)
    #expect(log.appends.values == [[0, 1, 2, 3]])
    #expect(first.values == ["committed 3 \(state(111))"])
    #expect(second.values == first.values)
  }

  @Test func `who ends before the log asks appends nothing`() throws {
    let session = try stage.session()
    stage.log.holdSources()
    let answers = try session.send(#"{"add":1}"#)
    try stage.end()
    #expect(answers.values == ["ended"])
    #expect(stage.log.askSources() == 1)
    #expect(stage.log.appends.values.isEmpty)
  }

  @Test func `an action without mutations is answered at once with what is committed`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    _ = try session.send(#"{"add":1}"#)
    #expect(try session.send(#""nothing""#).values == ["committed 0 \(state(0))"])
    stage.log.releaseAll()
  }

  @Test func `what is sent while a commit is told comes behind it for everyone`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(EagerSender(session))
    _ = session.observe(watcher)
    stage.log.set(.held)
    _ = try session.send(#"{"add":1}"#)
    // The next append is answered at once, from within the telling of the one before.
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(
      watcher.told.values == ["1 \(state(1))", "2 \(state(2))", "3 \(state(3))"])
  }

  @Test(arguments: [LogError.conflict, .full, .unavailable("gone")])
  func `what the log refuses did not happen`(error: LogError) throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.failing(error))
    #expect(try session.send(#"{"add":2}"#).values == ["not committed: \(error)"])
    #expect(watcher.told.values == ["1 \(state(1))", "interrupted"])
    #expect(session.shown == "1 \(state(1))")

    stage.log.set(.atOnce)
    let again = try stage.session()
    #expect(again !== session)
    #expect(again.current.cursor == session.current.cursor)
    #expect(try again.send(#"{"add":3}"#).values == ["committed 2 \(state(4))"])
  }

  @Test func `a refusal takes down what was folded behind it, and effects with it`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let answers = [
      try session.send(#"{"hold":"a"}"#), try session.send(#"{"add":1}"#),
      try session.send(#"{"add":2}"#),
    ]
    stage.effects["a"].onNext(.add(10))
    // The append that is held up finds another writer's entry.
    let rival = stage.log.session(session.key)
    stage.log.set(.atOnce)
    let entry = LogEntry(
      version: 1, at: .now, action: nil, mutation: Array(#"{"add":7}"#.utf8))
    rival.append(LogBatch([entry]), to: session.epoch, expecting: 0) { _ in }
    stage.log.releaseAll()
    #expect(answers.map(\.values) == Array(repeating: ["not committed: conflict"], count: 3))
    #expect(!stage.effects["a"].hasObservers)
    #expect(try stage.session().shown == "1 \(state(7))")
  }

  @Test func `who is refused and comes back at once gets a session that works`() throws {
    let session = try stage.session()
    let later = Recorder<String>()
    stage.log.set(.failing(.full))
    let stage = stage
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { outcome in
        later.add(outcome.words)
        stage.log.set(.atOnce)
        if let answers = try? stage.session().send(#"{"add":2}"#) {
          for answer in answers.values { later.add(answer) }
        }
      })
    #expect(later.values == ["not committed: full", "committed 1 \(state(2))"])
  }

  @Test func `a request to a session that was refused is answered`() throws {
    let session = try stage.session()
    stage.log.set(.failing(.full))
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.atOnce)
    #expect(try session.send(#"{"add":2}"#).values == ["not committed: full"])
    #expect(session.observe(Watcher()) == nil)
  }

  @Test func `of two hosts over one log the stale writer is refused`() throws {
    let log = MemoryLog()
    let (one, two) = (Stage(over: log), Stage(over: log))
    let first = try one.session(for: .ensure)
    let second = try two.session()
    #expect(first.current.cursor == second.current.cursor)
    _ = try first.send(#"{"add":1}"#)
    #expect(try second.send(#"{"add":10}"#).values == ["not committed: conflict"])
    let again = try two.session()
    #expect(again.shown == "1 \(state(1))")
    #expect(try again.send(#"{"add":10}"#).values == ["committed 2 \(state(11))"])
    #expect(try first.send(#"{"add":1}"#).values == ["not committed: conflict"])
    #expect(try one.session().shown == "2 \(state(11))")
  }
}

/// Sends twice, at the first commits that it hears of.
private final class EagerSender: SessionObserver {
  private let session: any Session

  init(_ session: any Session) {
    self.session = session
  }

  func sessionDidCommit(_ state: CommittedState) {
    if state.version < 3 { _ = try? session.send(#"{"add":1}"#) }
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}
