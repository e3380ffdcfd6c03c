import ReactorHost
import ReactorStreams
import Testing

/// Requests that are named by an idempotency key.
@Suite struct IdempotencyTests {
  private let stage = Stage()

  @Test func `a request that is sent again is answered as before and not run again`() throws {
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

  @Test func `while the first request runs the second is told so`() throws {
    let session = try stage.session()
    let first = try session.send(#"{"hold":"x"}"#, key: "a")
    #expect(try session.send(#"{"hold":"x"}"#, key: "a").values == ["running"])
    #expect(try session.send(#"{"hold":"y"}"#, key: "a").values == ["key reused"])
    stage.effects["x"].onNext(.add(3))
    stage.effects["x"].onCompleted()
    #expect(first.values.first?.hasPrefix("committed 1 ") == true)
    #expect(
      try session.send(#"{"hold":"x"}"#, key: "a").values == first.values.map { "replayed \($0)" })
  }

  @Test func `until the first request is committed the second is told that it runs`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let first = try session.send(#"{"add":1}"#, key: "a")
    #expect(try session.send(#"{"add":1}"#, key: "a").values == ["running"])
    stage.log.releaseAll()
    #expect(first.values.first?.hasPrefix("committed 1 ") == true)
    #expect(try session.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("replayed") == true)
  }

  @Test(arguments: [nil, "x"])
  func `a commit that ends while a request runs takes nothing of it`(effect: String?) throws {
    let session = try stage.session()
    stage.log.set(.held)
    try session.send(#"{"add":1}"#)
    // The log answers in the midst of the second request, as it does from a thread of its own.
    stage.effects.set({ [stage] in stage.log.releaseOne() }, for: "log")
    let held = effect.map { #",{"hold":"\#($0)"}"# } ?? ""
    try session.send(#"[{"add":1},{"pause":"log"}\#(held),{"add":1}]"#, key: "a")
    // All of it, and what becomes of its key: what would be left behind could be lost, and the
    // request be done again.
    #expect(stage.log.appends.values == [[0, 1], [1, 2, 3]])
    let batch = try #require(stage.log.batches.values.last)
    #expect(effect != nil ? batch.accepted.count == 1 : batch.outcomes.count == 1)
  }

  @Test func `what was refused before it ran is not kept`() throws {
    let session = try stage.session()
    let other = Cursor(epoch: "other", version: 9)
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other], key: "a").values.first?.hasPrefix("mismatch")
        == true)
    let answer = try session.send(#"{"add":1}"#, ifAt: [session.current.cursor], key: "a").values
    #expect(answer.first?.hasPrefix("committed 1") == true)
    // The condition does not belong to the key: it no longer holds, and what was done stays done.
    #expect(
      try session.send(#"{"add":1}"#, ifAt: [other], key: "a").values == ["replayed \(answer[0])"])
  }

  @Test func `a failure is kept, with its place in an array`() throws {
    let session = try stage.session()
    #expect(try session.send(#"[{"add":1},"fail"]"#, key: "a").values == ["failed Mishap at 1"])
    let version = session.current.version
    #expect(
      try session.send(#"[{"add":1},"fail"]"#, key: "a").values.first?.hasSuffix(" at 1") == true)
    #expect(session.current.version == version)
  }

  @Test(arguments: ["[]", #""nothing""#])
  func `a request that changes nothing is kept too`(_ body: String) throws {
    let session = try stage.session()
    let first = try session.send(body, key: "a").values
    try session.send(#"{"add":1}"#)
    #expect(try session.send(body, key: "a").values == first.map { "replayed \($0)" })
  }

  @Test func `an answer is committed in one batch with its mutations`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let answers = try session.send(#"{"add":1}"#, key: "a")
    #expect(stage.log.releaseOne())
    #expect(answers.values.count == 1)
    #expect(!stage.log.releaseOne())
    #expect(try stage.log.session(session.key).outcome(of: "a")?.version == 1)
  }

  @Test func `an answer whose commit failed is not kept`() throws {
    let session = try stage.session()
    stage.log.set(.failing(.full))
    #expect(try session.send(#"{"add":1}"#, key: "a").values == ["not committed: full"])
    stage.log.set(.atOnce)
    let again = try stage.session().send(#"{"add":1}"#, key: "a").values
    #expect(again.first?.hasPrefix("committed 1 ") == true)
  }

  @Test func `answers are kept while the session is not in memory`() throws {
    let first = try stage.session().send(#"{"add":1}"#, key: "a").values
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(
      try stage.session().send(#"{"add":1}"#, key: "a").values == first.map { "replayed \($0)" })
  }

  @Test func `a session that has ended forgets its keys`() throws {
    try stage.session().send(#"{"add":1}"#, key: "a")
    try stage.end()
    let again = try stage.session(for: .ensure).send(#"{"add":1}"#, key: "a").values
    #expect(again.first?.hasPrefix("committed 1 ") == true)
  }

  @Test func `a fork does not know the keys of its origin`() throws {
    try stage.session().send(#"{"add":1}"#, key: "a")
    let fork = try stage.fork(to: "fork").get().session
    #expect(try fork.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("committed 2 ") == true)
  }

  @Test func `an answer that was kept for long enough is forgotten`() throws {
    let stage = Stage { $0.idempotency = .zero }
    let session = try stage.session()
    try session.send(#"{"add":1}"#, key: "a")
    #expect(
      try session.send(#"{"add":1}"#, key: "a").values.first?.hasPrefix("committed 2") == true)
  }

  @Test func `where retention has removed the answer's moment the current state is given`() throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 5)) { $0.snapshotInterval = 10 }
    let session = try stage.session()
    try session.send(#"{"add":1}"#, key: "a")
    for _ in 0..<30 { try session.send(#"{"add":1}"#) }
    #expect(
      try session.send(#"{"add":1}"#, key: "a").values == [
        #"replayed committed 31 {"value":31,"name":null,"ratio":null}"#
      ])
  }

  @Test func `of many requests with one key at a time one runs`() async throws {
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
