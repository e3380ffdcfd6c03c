import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// Commit before publish.
struct CommitTests {
  private let stage = Stage()

  private func state(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  @Test func `nothing is published before the log has committed it`() async throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    stage.log.set(.held)
    let outcomes = try session.send(#"{"add":1}"#)
    #expect(outcomes.values.isEmpty)
    #expect(watcher.seen.values.isEmpty)
    #expect(session.shown == "0 \(state(0))")
    #expect(try await session.entries(after: 0, limit: 10).isEmpty)
    stage.log.releaseAll()
    #expect(outcomes.values == ["committed 1 \(state(1))"])
    #expect(watcher.seen.values == ["1 \(state(1))"])
  }

  @Test func `observers are notified of a commit after the response`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { watcher.seen.add($0.words) })
    #expect(watcher.seen.values == ["committed 1 \(state(1))", "1 \(state(1))"])
  }

  @Test func `mutations that are reduced during an append form the next batch`() throws {
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
    // Each version is published, and the requests of a batch get its last state.
    #expect(second.values == ["committed 4 \(state(121))"])
    #expect(third.values == second.values)
    #expect(
      watcher.seen.values == [
        "1 \(state(1))", "2 \(state(11))", "3 \(state(21))", "4 \(state(121))",
      ])
  }

  @Test func `a batch at the log is published although the session has ended meanwhile`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    stage.log.set(.held)
    let first = try session.send(#"{"add":5}"#)
    // A State without JSON ends the session.
    let second = try session.send(#""poison""#)
    #expect(first.values.isEmpty && watcher.seen.values.isEmpty)
    #expect(second.values.map { $0.hasPrefix("not committed") } == [true])
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(first.values == ["committed 1 \(state(5))"])
    #expect(watcher.seen.values == ["1 \(state(5))", "interrupted"])
    #expect(try stage.session().shown == "1 \(state(5))")
  }

  @Test func `a batch that the log rejects after the end of the session is not committed`() throws {
    let session = try stage.session()
    try session.send(#"{"add":1}"#)
    stage.log.set(.held)
    let first = try session.send(#"{"add":5}"#)
    try session.send(#""poison""#)
    #expect(first.values.isEmpty)
    stage.log.set(.atOnce)
    try stage.end()
    stage.log.releaseAll()
    #expect(first.values.map { $0.hasPrefix("not committed") } == [true])
  }

  @Test func `mutations that are reduced before the log requests the batch share it`() throws {
    let session = try stage.session()
    stage.log.holdSources()
    let first = try session.send(#"{"add":1}"#)
    let second = try session.send(#"{"add":10}"#)
    #expect(stage.log.appends.values.isEmpty)
    #expect(stage.log.requestBatches() == 1)
    #expect(stage.log.appends.values == [[0, 1, 2]])
    #expect(first.values == ["committed 2 \(state(11))"])
    #expect(second.values == first.values)
    #expect(stage.log.requestBatches() == 0)
  }

  @Test func `a batch that the log requests during a turn is appended at its end`() throws {
    let session = try stage.session()
    let log = stage.log
    log.holdSources()
    stage.effects.set({ log.requestBatches() }, for: "p")
    let first = try session.send(#"{"add":1}"#)
    let second = try session.send(#"[{"add":10},{"pause":"p"},{"add":100}]"#)
    #expect(log.appends.values.isEmpty)
    #expect(log.requestBatches() == 1)
    #expect(log.appends.values == [[0, 1, 2, 3]])
    #expect(first.values == ["committed 3 \(state(111))"])
    #expect(second.values == first.values)
  }

  @Test func `a session that ends before the log requests the batch appends nothing`() throws {
    let session = try stage.session()
    stage.log.holdSources()
    let outcomes = try session.send(#"{"add":1}"#)
    try stage.end()
    #expect(outcomes.values == ["ended"])
    #expect(stage.log.requestBatches() == 1)
    #expect(stage.log.appends.values.isEmpty)
  }

  @Test func `the response to an action without mutations is the committed state, at once`() throws
  {
    let session = try stage.session()
    stage.log.set(.held)
    _ = try session.send(#"{"add":1}"#)
    #expect(try session.send(#""nothing""#).values == ["committed 0 \(state(0))"])
    stage.log.releaseAll()
  }

  @Test func `an action that an observer sends is published after the current commit`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(EagerSender(session))
    _ = session.observe(watcher)
    stage.log.set(.held)
    _ = try session.send(#"{"add":1}"#)
    // The next append completes during the publication of the one before.
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(
      watcher.seen.values == ["1 \(state(1))", "2 \(state(2))", "3 \(state(3))"])
  }

  @Test(arguments: [LogError.conflict, .full, .unavailable("gone")])
  func `mutations that the log rejects did not happen`(error: LogError) throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.failing(error))
    #expect(try session.send(#"{"add":2}"#).values == ["not committed: \(error)"])
    #expect(watcher.seen.values == ["1 \(state(1))", "interrupted"])
    #expect(session.shown == "1 \(state(1))")

    stage.log.set(.atOnce)
    let again = try stage.session()
    #expect(again !== session)
    #expect(again.current.cursor == session.current.cursor)
    #expect(try again.send(#"{"add":3}"#).values == ["committed 2 \(state(4))"])
  }

  @Test func `a rejected batch drops the mutations after it and cancels the effects`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let outcomes = [
      try session.send(#"{"hold":"a"}"#), try session.send(#"{"add":1}"#),
      try session.send(#"{"add":2}"#),
    ]
    stage.effects["a"].onNext(.add(10))
    // The delayed append finds the entry of another writer.
    let rival = stage.log.session(session.key)
    stage.log.set(.atOnce)
    let entry = LogEntry(
      version: 1, at: .now, action: nil, mutation: Array(#"{"add":7}"#.utf8))
    rival.append(LogBatch([entry]), to: session.epoch, expecting: 0) { _ in }
    stage.log.releaseAll()
    #expect(outcomes.map(\.values) == Array(repeating: ["not committed: conflict"], count: 3))
    #expect(!stage.effects["a"].hasObservers)
    #expect(try stage.session().shown == "1 \(state(7))")
  }

  @Test func `a client that returns at once after a rejection gets a session that works`() throws {
    let session = try stage.session()
    let later = Recorder<String>()
    stage.log.set(.failing(.full))
    let stage = stage
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { outcome in
        later.add(outcome.words)
        stage.log.set(.atOnce)
        if let outcomes = try? stage.session().send(#"{"add":2}"#) {
          for outcome in outcomes.values { later.add(outcome) }
        }
      })
    #expect(later.values == ["not committed: full", "committed 1 \(state(2))"])
  }

  @Test func `a request to an interrupted session gets a response`() throws {
    let session = try stage.session()
    stage.log.set(.failing(.full))
    _ = try session.send(#"{"add":1}"#)
    stage.log.set(.atOnce)
    #expect(try session.send(#"{"add":2}"#).values == ["not committed: full"])
    #expect(session.observe(Watcher()) == nil)
  }

  @Test func `of two hosts over one log, the stale writer is rejected`() throws {
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

/// Sends an action at each of the first two commits.
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
