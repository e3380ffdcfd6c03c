import LogTestSupport
import ReactorLog
import Testing

/// The records beside the mutations, in every log: accepted actions, outcomes of idempotency keys, shared values.
@Suite(.serialized) struct BatchTests {
  private func action(
    _ request: Int, _ place: Int = 0, key: IdempotencyKey? = nil, runs: Int = 1,
    failure: ActionFailure? = nil
  ) -> AcceptedAction {
    AcceptedAction(
      id: .init(request: request, place: place), action: Array(#"{"hold":"a"}"#.utf8),
      isInArray: place > 0, key: key, at: Timestamp(milliseconds: 1_700_000_000_000), runs: runs,
      failure: failure)
  }

  private func outcome(
    _ name: String, version: Int = 1, failure: ActionFailure? = nil, at: Timestamp = .now
  ) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(name, for: Array(name.utf8)), at: at, version: version, failure: failure)
  }

  private func rejection(at index: Int) -> ActionFailure {
    ActionFailure(
      index: index,
      reason: ActionFailure.Reason(status: 409, title: "Not \"now\"", detail: "é"))
  }

  @Test(arguments: LogKind.allCases)
  func `accepted actions are stored in order until they are finished`(_ kind: LogKind) async throws
  {
    let log = try LogUnderTest(kind)
    let session = log.session()
    let key = IdempotencyKey("k", for: [])
    let actions = [action(1), action(2, 1, key: key), action(2, 2, key: key, runs: 3)]
    try await session.append(LogBatch(accepted: actions.reversed()), to: "one", expecting: 0)
    #expect(try session.acceptedActions() == actions)
    #expect(try session.stored?.isUnfinished == true)
    #expect(try session.stored?.version == 0)

    let failed = action(
      2, 1, key: key, failure: rejection(at: 1))
    try await session.append(
      LogBatch([LogEntry(counted: 1)], accepted: [failed], finished: [actions[0].id]),
      to: "one", expecting: 0)
    #expect(try session.acceptedActions() == [failed, actions[2]])
    try await session.append(
      LogBatch(finished: [failed.id, actions[2].id]), to: "one", expecting: 1)
    #expect(try session.acceptedActions() == [])
    #expect(try session.stored?.isUnfinished == false)
    #expect(try session.stored?.version == 1)
  }

  @Test(arguments: LogKind.allCases)
  func `entries and accepted actions have their principal and context`(_ kind: LogKind) async throws
  {
    let log = try LogUnderTest(kind)
    let entries = [nil, "ada", "grüße \"x\""].enumerated().map { index, by in
      LogEntry(
        version: index + 1, at: Timestamp(milliseconds: 1), action: nil, mutation: [0x31], by: by)
    }
    let accepted = AcceptedAction(
      id: .init(request: 1, place: 0), action: [0x31], isInArray: false, key: nil,
      principal: Array(#"{"id":"ada","claims":{"role":"staff"}}"#.utf8),
      context: Array(#"{"id":"r-1","origin":"client"}"#.utf8), at: .now)
    try await log.session().append(
      LogBatch(entries, accepted: [accepted]), to: "one", expecting: 0)
    #expect(try log.session().entries(after: 0, limit: 9) == entries)
    #expect(try log.session().acceptedActions().first?.principal == accepted.principal)
    #expect(try log.session().acceptedActions().first?.context == accepted.context)
    try await log.log.fork("demo", at: 3, to: "fork", epoch: "two")
    #expect(try log.session("fork").entries(after: 0, limit: 9) == entries)
  }

  @Test(arguments: LogKind.allCases)
  func `a batch of another version or epoch changes nothing`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...2, to: "one")
    let batch = LogBatch(accepted: [action(1)], outcomes: [outcome("k")])
    for (epoch, version) in [("one", 1), ("one", 3), ("two", 2)] {
      await #expect(throws: LogError.conflict) {
        try await session.append(batch, to: epoch, expecting: version)
      }
    }
    #expect(try session.acceptedActions() == [])
    #expect(try session.outcome(of: "k") == nil)
    try await session.append(batch, to: "one", expecting: 2)
  }

  @Test(arguments: LogKind.allCases)
  func `an outcome is stored under its key`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    let failures = [nil, ActionFailure(index: nil, reason: nil), rejection(at: 3)]
    let outcomes = failures.enumerated().map { index, failure in
      outcome("key \(index)", version: index, failure: failure)
    }
    try await session.append(LogBatch(outcomes: outcomes), to: "one", expecting: 0)
    for outcome in outcomes {
      #expect(try log.session().outcome(of: outcome.key.name) == outcome)
    }
    #expect(try session.outcome(of: "other") == nil)
    #expect(try log.session("other").outcome(of: "key 0") == nil)
    let later = outcome("key 0", version: 9)
    try await session.append(LogBatch(outcomes: [later]), to: "one", expecting: 0)
    #expect(try session.outcome(of: "key 0") == later)
  }

  @Test(arguments: LogKind.allCases)
  func `the end of a session deletes its records, and a fork has none of them`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    let batch = LogBatch(
      [LogEntry(counted: 1)], accepted: [action(1)], outcomes: [outcome("k")])
    try await session.append(batch, to: "one", expecting: 0)
    try await log.log.fork("demo", at: 1, to: "fork", epoch: "fork")
    #expect(try log.session("fork").acceptedActions() == [])
    #expect(try log.session("fork").outcome(of: "k") == nil)
    try await session.end()
    #expect(try session.acceptedActions() == [])
    #expect(try session.outcome(of: "k") == nil)
    #expect(try log.log.unfinishedSessions(after: nil, limit: 10) == [])
    try await session.create(epoch: "two")
    #expect(try session.stored?.isUnfinished == false)
    #expect(try session.outcome(of: "k") == nil)
  }

  @Test(arguments: LogKind.allCases)
  func `unfinished sessions are listed in order, in pages`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    for id in ["c", "a", "b", "d"] {
      try await log.session(id).append(
        LogBatch(accepted: id == "d" ? [] : [action(1), action(2)], outcomes: [outcome(id)]),
        to: "one", expecting: 0)
    }
    let other = log.log.session(SessionKey(reactor: "almost", id: "z"))
    try await other.append(LogBatch(accepted: [action(1)]), to: "one", expecting: 0)
    let first = try log.log.unfinishedSessions(after: nil, limit: 2)
    #expect(first.map(\.description) == ["almost/z", "counter/a"])
    let rest = try log.log.unfinishedSessions(after: first.last, limit: 9)
    #expect(rest.map(\.description) == ["counter/b", "counter/c"])
    #expect(try log.log.unfinishedSessions(after: rest.last, limit: 9) == [])
  }

  @Test(arguments: LogKind.allCases)
  func `a shared value is the latest one`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    #expect(try log.log.sharedValue("user") == nil)
    for version in 1...2 {
      let value = SharedValue(
        epoch: "one", version: version, revision: .max - UInt64(version),
        json: Array(#"{"n":\#(version)}"#.utf8))
      try await log.log.share(value, as: "user")
      #expect(try log.log.sharedValue("user") == value)
    }
    #expect(try log.log.sharedValue("other") == nil)
  }

  @Test(arguments: LogKind.allCases)
  func `a snapshot has its schema, and replaces one of another schema`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...5, to: "one")
    let snapshots = [(2, "a"), (4, "a"), (5, "a"), (5, "b")].map { version, schema in
      Snapshot(version: version, state: Array("\(version)".utf8), schema: schema)
    }
    for snapshot in snapshots { session.save(snapshot, of: "one") }
    try await log.log.drain()
    #expect(try session.snapshot(atOrBefore: 5) == snapshots[3])
    #expect(try session.snapshot(atOrBefore: 5, of: "a") == snapshots[1])
    #expect(try session.snapshot(atOrBefore: 5, of: "b") == snapshots[3])
    #expect(try session.snapshot(atOrBefore: 4, of: "b") == nil)
  }

  @Test func `the log in memory deletes the oldest outcomes first`() async throws {
    let log = try LogUnderTest(.memory)
    let session = log.session()
    for number in 0..<10_001 {
      try await session.append(
        LogBatch(outcomes: [outcome("\(number)")]), to: "one", expecting: 0)
    }
    #expect(try session.outcome(of: "0") == nil)
    #expect(try session.outcome(of: "1") != nil)
    #expect(try session.outcome(of: "10000") != nil)
  }
}
