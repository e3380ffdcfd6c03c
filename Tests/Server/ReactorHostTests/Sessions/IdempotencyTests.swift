import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// Requests with an idempotency key.
@Suite struct IdempotencyTests {
  private let stage = Stage()

  @Test func `a repeated request gets the same response and is not executed again`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"add":1}"#, key: "a").values
    try session.send(#"{"add":5}"#)
    #expect(first.first?.hasPrefix("committed 1 ") == true)
    #expect(try session.send(#"{"add":1}"#, key: "a").values == first.map { "replayed \($0)" })
    #expect(session.current.version == 2)
  }

  @Test func `a key belongs to one body, byte for byte`() throws {
    let session = try stage.session()
    try session.send(#"{"add":1}"#, key: "a")
    for body in [#"{"add":2}"#, #"{ "add":1}"#, "[]"] {
      #expect(try session.send(body, key: "a").values == ["key reused"])
    }
    #expect(session.current.version == 1)
  }

  @Test func `a key belongs to one session`() throws {
    try stage.session("one").send(#"{"add":1}"#, key: "a")
    let other = try stage.session("two").send(#"{"add":7}"#, key: "a").values
    #expect(other.first?.hasPrefix("committed 1 ") == true)
  }

  @Test func `a repeated request during the first one gets its outcome`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"hold":"x"}"#, key: "a")
    let accepted = Recorder<Int>()
    let second = try session.send(#"{"hold":"x"}"#, key: "a", accepted: accepted)
    #expect(second.values.isEmpty)
    #expect(accepted.values == [0])
    #expect(try session.send(#"{"hold":"y"}"#, key: "a").values == ["key reused"])
    stage.effects["x"].onNext(.add(3))
    stage.effects["x"].onCompleted()
    #expect(first.values.first?.hasPrefix("committed 1 ") == true)
    #expect(second.values == first.values.map { "replayed \($0)" })
    #expect(
      try session.send(#"{"hold":"x"}"#, key: "a").values == first.values.map { "replayed \($0)" })
  }

  @Test(arguments: [#"{"add":1}"#, #"[{"add":1},{"add":1}]"#, #"{"fail":{}}"#, "[]"])
  func `a repeated request waits until the first one is committed`(body: String) throws {
    let session = try stage.session()
    stage.log.set(.held)
    let first = try session.send(body, key: "a")
    let second = try session.send(body, key: "a")
    #expect(second.values.isEmpty)
    stage.log.releaseAll()
    #expect(first.values.count == 1)
    #expect(second.values == first.values.map { "replayed \($0)" })
  }

  @Test func `a repetition learns when the first request is accepted`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let (first, second) = (Recorder<Int>(), Recorder<Int>())
    try session.send(#"{"hold":"x"}"#, key: "a", accepted: first)
    try session.send(#"{"hold":"x"}"#, key: "a", accepted: second)
    #expect(first.values.isEmpty && second.values.isEmpty)
    stage.log.releaseAll()
    #expect(first.values == [0] && second.values == [0])
  }

  @Test func `of too many repetitions the first waits no longer`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"hold":"x"}"#, key: "a")
    let others = try (0..<20).map { _ in try session.send(#"{"hold":"x"}"#, key: "a") }
    #expect(others.filter { $0.values == ["running"] }.count == 4)
    stage.effects["x"].onCompleted()
    #expect(others.prefix(4).allSatisfy { $0.values == ["running"] })
    #expect(others.dropFirst(4).allSatisfy { $0.values == first.values.map { "replayed \($0)" } })
  }

  @Test func `a repetition of a rejected request is executed itself`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    try session.send(#"{"add":1}"#)
    let other = [Cursor(epoch: session.epoch, version: 7)]
    let first = try session.send(#"{"add":1}"#, ifAt: other, key: "a")
    let second = try session.send(#"{"add":1}"#, key: "a")
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(first.values.first?.hasPrefix("mismatch") == true)
    #expect(second.values.first?.hasPrefix("committed 2 ") == true)
  }

  @Test func `repetitions of a session that ends get its end`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"hold":"x"}"#, key: "a")
    let second = try session.send(#"{"hold":"x"}"#, key: "a")
    try stage.end()
    #expect(first.values == ["ended"])
    #expect(second.values == ["ended"])
  }

  @Test func `a request is replayed when it is committed`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"add":1}"#, key: "a")
    #expect(first.values.first?.hasPrefix("committed 1 ") == true)
    #expect(try session.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("replayed") == true)
  }

  @Test(arguments: [nil, "x"])
  func `a commit during a request does not release its key`(effect: String?) throws {
    let session = try stage.session()
    stage.log.set(.held)
    try session.send(#"{"add":1}"#)
    // The log completes the commit during the second request.
    stage.effects.set({ [stage] in stage.log.releaseOne() }, for: "log")
    let held = effect.map { #",{"hold":"\#($0)"}"# } ?? ""
    try session.send(#"[{"add":1},{"pause":"log"}\#(held),{"add":1}]"#, key: "a")
    // The outcome is in the same batch: without it the request could be executed again.
    #expect(stage.log.appends.values == [[0, 1], [1, 2, 3]])
    let batch = try #require(stage.log.batches.values.last)
    #expect(effect != nil ? batch.accepted.count == 1 : batch.outcomes.count == 1)
  }

  @Test func `the outcome of a rejected request is not stored`() throws {
    let session = try stage.session()
    let other = Cursor(epoch: "other", version: 9)
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other], key: "a").values.first?.hasPrefix("mismatch")
        == true)
    let outcome = try session.send(#"{"add":1}"#, ifAt: [session.current.cursor], key: "a").values
    #expect(outcome.first?.hasPrefix("committed 1") == true)
    // The condition, which does not hold any more, is not part of the key.
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other], key: "a").values == ["replayed \(outcome[0])"])
  }

  @Test func `a failure is stored with its index in an array`() throws {
    let session = try stage.session()
    #expect(try session.send(#"[{"add":1},"fail"]"#, key: "a").values == ["failed Mishap at 1"])
    let version = session.current.version
    #expect(
      try session.send(#"[{"add":1},"fail"]"#, key: "a").values.first?.hasSuffix(" at 1") == true)
    #expect(session.current.version == version)
  }

  @Test(arguments: ["[]", #""nothing""#])
  func `the outcome of a request without mutations is stored`(_ body: String) throws {
    let session = try stage.session()
    let first = try session.send(body, key: "a").values
    try session.send(#"{"add":1}"#)
    #expect(try session.send(body, key: "a").values == first.map { "replayed \($0)" })
  }

  @Test func `an outcome is committed in one batch with its mutations`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let outcomes = try session.send(#"{"add":1}"#, key: "a")
    #expect(stage.log.releaseOne())
    #expect(outcomes.values.count == 1)
    #expect(!stage.log.releaseOne())
    let name = IdempotencyKey("a", of: nil, for: []).name
    #expect(try stage.log.session(session.key).outcome(of: name)?.version == 1)
  }

  @Test func `an outcome whose commit failed is not stored`() throws {
    let session = try stage.session()
    stage.log.set(.failing(.full))
    #expect(try session.send(#"{"add":1}"#, key: "a").values == ["not committed: full"])
    stage.log.set(.atOnce)
    let again = try stage.session().send(#"{"add":1}"#, key: "a").values
    #expect(again.first?.hasPrefix("committed 1 ") == true)
  }

  @Test func `outcomes are stored while the session is not in memory`() throws {
    let first = try stage.session().send(#"{"add":1}"#, key: "a").values
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(
      try stage.session().send(#"{"add":1}"#, key: "a").values == first.map { "replayed \($0)" })
  }

  @Test func `a session that has ended has no keys`() throws {
    try stage.session().send(#"{"add":1}"#, key: "a")
    try stage.end()
    let again = try stage.session(for: .ensure).send(#"{"add":1}"#, key: "a").values
    #expect(again.first?.hasPrefix("committed 1 ") == true)
  }

  @Test func `a fork does not have the keys of its origin`() throws {
    try stage.session().send(#"{"add":1}"#, key: "a")
    let fork = try stage.fork(to: "fork").get().session
    #expect(try fork.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("committed 2 ") == true)
  }

  @Test func `an outcome expires`() throws {
    let stage = Stage { $0.idempotency = .zero }
    let session = try stage.session()
    try session.send(#"{"add":1}"#, key: "a")
    #expect(
      try session.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("committed 2") == true)
  }

  @Test func `if retention removed the outcome's version, the replay is the current state`() throws
  {
    let stage = Stage(over: MemoryLog(retainedVersions: 5)) { $0.snapshotInterval = 10 }
    let session = try stage.session()
    try session.send(#"{"add":1}"#, key: "a")
    for _ in 0..<30 { try session.send(#"{"add":1}"#) }
    #expect(
      try session.send(#"{"add":1}"#, key: "a").values == [
        #"replayed committed 31 {"value":31,"name":null,"ratio":null}"#
      ])
  }

  @Test func `of concurrent requests with one key, one is executed`() async throws {
    stage.log.set(.elsewhere)
    let session = try stage.session()
    let words = await withTaskGroup(of: String.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await withCheckedContinuation { continuation in
            do {
              try session.submit(
                Array(#"{"add":1}"#.utf8), ifAt: nil, key: "a", for: nil, accepted: nil,
                completion: { continuation.resume(returning: $0.words) })
            } catch {
              continuation.resume(returning: "\(error)")
            }
          }
        }
      }
      return await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(words.count { $0.hasPrefix("committed") } == 1)
    #expect(
      words.allSatisfy { $0.hasPrefix("committed") || $0 == "running" || $0.hasPrefix("replayed") })
    #expect(session.current.version == 1)
  }
}
