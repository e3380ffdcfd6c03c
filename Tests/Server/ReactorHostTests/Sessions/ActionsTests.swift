import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

struct ActionsTests {
  private let stage = Stage()

  @Test func `the response to an action is the state that contains it`() throws {
    let session = try stage.session()
    #expect(
      try session.send(#"{"add":3}"#).values == [
        #"committed 1 {"value":3,"name":null,"ratio":null}"#
      ])
    #expect(
      try session.send(#"{"add":{"_0":4}}"#).values == [
        #"committed 2 {"value":7,"name":null,"ratio":null}"#
      ])
    #expect(session.shown == #"2 {"value":7,"name":null,"ratio":null}"#)
  }

  @Test func `the response to an action without mutations is the current state`() throws {
    let session = try stage.session()
    #expect(
      try session.send(#""nothing""#).values == [
        #"committed 0 {"value":0,"name":null,"ratio":null}"#
      ])
    #expect(stage.log.appends.values.isEmpty)
  }

  @Test func `the mutations before a failure stay`() throws {
    let session = try stage.session()
    #expect(try session.send(#""fail""#).values == ["failed Mishap"])
    #expect(session.shown.hasPrefix(#"1 {"value":1000"#))
  }

  @Test(arguments: [(#"{"add""#, 6), (#"{"add":}"#, 7), ("", 0), ("[", 1)])
  func `the error of a body that is not JSON names the offset`(body: String, offset: Int) throws {
    let session = try stage.session()
    do {
      _ = try session.send(body)
      Issue.record("It was taken.")
    } catch {
      guard case .malformed(offset, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test(arguments: [
    (#""unheard""#, ""), (#"{"add":"x"}"#, "/add"), (#"[{"add":1},"unheard"]"#, "/1"),
    (#"[{"add":1},{"add":null}]"#, "/1/add"), ("7", ""), (#"{"nothing":{},"add":1}"#, ""),
  ])
  func `the error of a body that is not an action names the value, and nothing is executed`(
    body: String, pointer: String
  ) throws {
    let session = try stage.session()
    do {
      _ = try session.send(body)
      Issue.record("It was taken.")
    } catch {
      guard case .invalid(pointer, _, let detail) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!detail.isEmpty)
    }
    #expect(session.current.version == 0)
  }

  // MARK: Arrays

  @Test func `an array is executed in order and gets one response`() async throws {
    let session = try stage.session()
    let outcomes = try session.send(#"[{"add":1},{"addTwice":10},"nothing",{"add":100}]"#)
    #expect(outcomes.values == [#"committed 4 {"value":121,"name":null,"ratio":null}"#])
    #expect(
      try await session.entries(after: 0, limit: 10).map(\.words) == [
        #"1 {"add":1} {"add":1}"#, #"2 {"addTwice":10} {"add":10}"#,
        #"3 {"addTwice":10} {"add":10}"#, #"4 {"add":100} {"add":100}"#,
      ])
    // The mutations of one turn are one batch.
    #expect(stage.log.appends.values == [[0, 1, 2, 3, 4]])
  }

  @Test func `an empty array changes nothing`() throws {
    let session = try stage.session()
    #expect(
      try session.send(" [ ] ").values == [
        #"committed 0 {"value":0,"name":null,"ratio":null}"#
      ])
  }

  @Test
  func `the response to an array is its first failure by index, which ends its own action only`()
    throws
  {
    let session = try stage.session()
    let outcomes = try session.send(#"[{"add":1},{"hold":"slow"},"fail",{"add":2}]"#)
    #expect(outcomes.values.isEmpty)
    stage.effects["slow"].onNext(.add(10))
    stage.effects["slow"].onError(Mishap())
    #expect(outcomes.values == ["failed Mishap at 1"])
    #expect(session.shown.hasPrefix(#"4 {"value":1013"#))
  }

  // MARK: Effects over time

  @Test func `the response to an action follows the end of its effect`() async throws {
    let session = try stage.session()
    let accepted = Recorder<Int>()
    let outcomes = try session.send(#"{"hold":"a"}"#, accepted: accepted)
    #expect(accepted.values == [0])
    stage.effects["a"].onNext(.add(1))
    #expect(session.current.version == 1)
    let other = try session.send(#"{"add":5}"#)
    #expect(other.values.count == 1)
    #expect(outcomes.values.isEmpty)
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onCompleted()
    #expect(outcomes.values == [#"committed 3 {"value":7,"name":null,"ratio":null}"#])
    #expect(
      try await session.entries(after: 0, limit: 9).map(\.words) == [
        #"1 {"hold":"a"} {"add":1}"#, #"2 {"add":5} {"add":5}"#, #"3 {"hold":"a"} {"add":1}"#,
      ])
  }

  // MARK: If-Match

  @Test func `an action that expects another cursor is rejected and not executed`() throws {
    let session = try stage.session()
    let first = session.current.cursor
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [first]).values.first?.hasPrefix("committed 1") == true)
    let accepted = Recorder<Int>()
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [first], accepted: accepted).values == [
        #"mismatch 1 {"value":1,"name":null,"ratio":null}"#
      ])
    #expect(accepted.values.isEmpty)
    let other = Cursor(epoch: "other", version: 1)
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other]).values.first?.hasPrefix("mismatch") == true)
    #expect(try session.send(#"{"add":1}"#, ifAt: []).values.first?.hasPrefix("mismatch") == true)
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other, session.current.cursor]).values.first?
        .hasPrefix("committed 2") == true)
  }

  @Test func `the state of a mismatch is committed`() throws {
    let session = try stage.session()
    let first = session.current.cursor
    stage.log.set(.held)
    let winner = try session.send(#"{"add":1}"#)
    let loser = try session.send(#"{"add":2}"#, ifAt: [first])
    #expect(loser.values.isEmpty)
    stage.log.releaseAll()
    #expect(winner.values == [#"committed 1 {"value":1,"name":null,"ratio":null}"#])
    #expect(loser.values == [#"mismatch 1 {"value":1,"name":null,"ratio":null}"#])
  }

  // MARK: Errors

  @Test func `a state that cannot be encoded is rejected, and the session continues`() throws {
    let watcher = Watcher()
    let session = try stage.session()
    _ = session.observe(watcher)
    _ = try session.send(#"{"add":1}"#)
    #expect(
      try session.send(#""poison""#).values.first?.hasPrefix("not committed: corrupt") == true)
    #expect(watcher.seen.values == [#"1 {"value":1,"name":null,"ratio":null}"#, "interrupted"])

    let again = try stage.session()
    #expect(again.epoch == session.epoch)
    #expect(again.shown == session.shown)
    #expect(
      try again.send(#"{"add":1}"#).values == [
        #"committed 2 {"value":2,"name":null,"ratio":null}"#
      ])
  }

  @Test func `the number of requests in a mailbox is limited`() throws {
    let stage = Stage { $0.mailboxBound = 2 }
    let session = try stage.session()
    let inside = Recorder<Recorder<String>>()
    // An action that is sent during a publication waits, since the publication is part of the turn.
    let observer = Reaction {
      guard inside.values.isEmpty else { return }
      for _ in 0..<4 {
        if let outcomes = try? session.send(#"{"add":1}"#) { inside.add(outcomes) }
      }
    }
    _ = session.observe(observer)
    _ = try session.send(#"{"add":1}"#)
    let outcomes = inside.values.map(\.values)
    #expect(outcomes.map { $0.count } == [1, 1, 1, 1])
    #expect(outcomes.map { $0.first?.hasPrefix("committed") } == [true, true, false, false])
    #expect(outcomes.suffix(2).allSatisfy { $0 == ["overloaded"] })
    #expect(session.current.version == 3)
  }
}

/// An observer that calls a closure at each commit.
private final class Reaction: SessionObserver {
  private let react: @Sendable () -> Void

  init(_ react: @escaping @Sendable () -> Void) {
    self.react = react
  }

  func sessionDidCommit(_ state: CommittedState) {
    react()
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}
