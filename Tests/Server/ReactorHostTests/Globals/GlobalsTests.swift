import LogTestSupport
import ReactorHost
import ReactorLog
import ReactorStreams
import Telemetry
import Testing

/// Values that sessions share.
struct GlobalsTests {
  private let stage = Stage()

  private func state(_ value: Int, _ name: String) -> String {
    #"{"value":\#(value),"name":\#(name),"ratio":null}"#
  }

  @Test func `a session with a null global begins without a mutation`() throws {
    #expect(try stage.session().shown == "0 \(state(0, "null"))")
  }

  @Test func `a session with a global's value begins with one mutation`() async throws {
    try await stage.name.set("Ada")
    let session = try stage.session()
    #expect(session.shown == #"1 \#(state(0, #""Ada""#))"#)
    #expect(try await session.state(at: 0).words == "0 \(state(0, "null"))")
    #expect(
      try await session.entries(after: 0, limit: 9).map(\.words) == [
        #"1 global name {"setName":"Ada"}"#
      ])
  }

  @Test func `each session in memory receives a new value, in a turn`() async throws {
    let (one, two) = (try stage.session("one"), try stage.session("two"))
    let watcher = Watcher()
    _ = one.observe(watcher)
    try await stage.name.set("Ada")
    _ = try one.send(#"{"add":1}"#)
    try await stage.name.set(nil)
    #expect(
      watcher.seen.values == [
        #"1 \#(state(0, #""Ada""#))"#, #"2 \#(state(1, #""Ada""#))"#, "3 \(state(1, "null"))",
      ])
    #expect(two.shown == "2 \(state(0, "null"))")
    #expect(
      try await one.entries(after: 0, limit: 9).map(\.words) == [
        #"1 global name {"setName":"Ada"}"#, #"2 {"add":1} {"add":1}"#,
        #"3 global name {"setName":null}"#,
      ])
  }

  @Test func `a value that is set during an action is delivered after it`() async throws {
    let session = try stage.session()
    let name = stage.name
    let setter = Setter { if $0.version == 1 { try? name.set("Ada") } }
    _ = session.observe(setter)
    _ = try session.send(#"[{"add":1},{"add":2}]"#)
    #expect(
      try await session.entries(after: 0, limit: 9).map(\.words) == [
        #"1 {"add":1} {"add":1}"#, #"2 {"add":2} {"add":2}"#, #"3 global name {"setName":"Ada"}"#,
      ])
  }

  @Test func `a loaded session receives the value that it missed, and each value once`() throws {
    try stage.name.set("Ada")
    _ = try stage.session()
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(try stage.session().current.version == 1)
    try stage.sweep()
    try stage.name.set("Bob")
    try stage.name.set("Cid")
    #expect(try stage.session().shown == #"2 \#(state(0, #""Cid""#))"#)
    try stage.sweep()
    try stage.name.set(nil)
    #expect(try stage.session().shown == "3 \(state(0, "null"))")
    try stage.sweep()
    #expect(try stage.session().shown == "3 \(state(0, "null"))")
  }

  @Test func `a session without a value does not receive null`() throws {
    _ = try stage.session().send(#"{"add":1}"#)
    try stage.sweep()
    try stage.name.set("Ada")
    try stage.name.set(nil)
    #expect(try stage.session().shown == "1 \(state(1, "null"))")
  }

  @Test func `a value of a later host is a new value`() throws {
    let log = MemoryLog()
    let before = Stage(over: log)
    try before.name.set("Ada")
    #expect(try before.session().current.version == 1)
    // As after a restart: another value with the same version.
    let after = Stage(over: log)
    try after.name.set("Bob")
    #expect(try after.session().shown == #"2 \#(state(0, #""Bob""#))"#)
  }

  @Test func `a fork has the values of its version`() throws {
    let session = try stage.session()
    try stage.name.set("Ada")
    try stage.name.set("Bob")
    #expect(session.current.version == 2)
    // Version 1 has Ada; the fork receives Bob.
    #expect(try stage.fork(at: 1, to: "early").get().session.shown == #"2 \#(state(0, #""Bob""#))"#)
    #expect(try stage.fork(at: 2, to: "late").get().session.shown == #"2 \#(state(0, #""Bob""#))"#)
    #expect(try stage.fork(at: 0, to: "new").get().session.shown == #"1 \#(state(0, #""Bob""#))"#)
  }

  @Test func `a fork of a shortened log receives no value twice`() async throws {
    let stage = Stage(over: MemoryLog(retainedVersions: 0)) { $0.snapshotInterval = 3 }
    try await stage.name.set("Ada")
    let session = try stage.session()
    for _ in 0..<5 { _ = try session.send(#"{"add":1}"#) }
    #expect(try await session.entries(after: 0, limit: 9).allSatisfy { $0.global == nil })
    #expect(try stage.fork(to: "copy").get().session.current.version == 6)
  }

  // MARK: In the log

  @Test func `a value is set and published when it is committed`() async throws {
    let session = try stage.session()
    stage.log.set(.held)
    let sets = ["Ada", "Bob"].map { name in
      Task.immediate { [stage] in try await stage.name.set(name).words }
    }
    #expect(stage.name.value == nil)
    #expect(stage.name.current.version == 0)
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(try await sets[0].value == #"1 "Ada""#)
    #expect(try await sets[1].value == #"2 "Bob""#)
    #expect(session.shown == #"2 \#(state(0, #""Bob""#))"#)
  }

  @Test func `a value that the log rejects is not set`() async throws {
    let session = try stage.session()
    stage.log.set(.failing(.full))
    await #expect(throws: LogError.full) { try await stage.name.set("Ada") }
    #expect(stage.name.value == nil)
    stage.log.set(.atOnce)
    try await stage.name.set("Bob")
    #expect(stage.name.current.words == #"1 "Bob""#)
    #expect(session.shown == #"1 \#(state(0, #""Bob""#))"#)
  }

  @Test func `a value is restored after a restart, and no session receives it twice`() throws {
    let log = MemoryLog()
    let before = Stage(over: log)
    try before.name.set("Ada")
    try before.name.set("Bob")
    #expect(try before.session().shown == #"1 \#(state(0, #""Bob""#))"#)
    let after = Stage(over: log)
    #expect(after.name.current.cursor == before.name.current.cursor)
    #expect(after.name.value == "Bob")
    #expect(try after.session().shown == #"1 \#(state(0, #""Bob""#))"#)
    #expect(try after.session("new").shown == #"1 \#(state(0, #""Bob""#))"#)
    try after.name.set("Cid")
    #expect(after.name.current.version == 3)
    #expect(try after.session().shown == #"2 \#(state(0, #""Cid""#))"#)
  }

  @Test func `a stored value that cannot be decoded leaves the initial value`() async throws {
    let log = MemoryLog()
    let old = SharedValue(epoch: "old", version: 7, revision: 9, json: Array("7".utf8))
    try await log.share(old, as: "name")
    let lines = Recorder<String>()
    let stage = Stage(
      over: log, logger: Logger(level: .error) { _, message, _ in lines.add(message) })
    #expect(stage.name.value == nil)
    #expect(stage.name.isUnreadable)
    // The next value is the successor of the one that stays in the log.
    #expect(stage.name.current.cursor.epoch == "old")
    #expect(lines.values == ["global cannot be read by this release"])
    try await stage.name.set("Ada")
    #expect(try log.sharedValue("name")?.json == Array(#""Ada""#.utf8))
  }

  // MARK: JSON

  @Test func `a global can be set from JSON, and has a cursor`() async throws {
    let first = stage.name.current
    #expect(first.words == "0 null")
    let second = try await stage.name.set(json: Array(#""Ada""#.utf8))
    #expect(second.words == #"1 "Ada""#)
    #expect(second.cursor.epoch == first.cursor.epoch)
    #expect(stage.name.value == "Ada")
    for json in ["7", "{"] {
      await #expect(throws: ActionDecodingError.self) {
        try await stage.name.set(json: Array(json.utf8))
      }
    }
    #expect(stage.name.current.words == #"1 "Ada""#)
  }

  @Test func `values of two threads are published in the order of their versions`() async throws {
    let number = Global("number", 0)
    let received = Recorder<Int>()
    let subscription = number.subscribe(onNext: { received.add($0) })
    await withTaskGroup { group in
      for start in [1, 1001] {
        group.addTask { for offset in 0..<1000 { _ = try? await number.set(start + offset) } }
      }
    }
    #expect(received.values.count == 2001)
    #expect(received.values.last == number.value)
    #expect(number.current.version == 2000)
    #expect(received.values.filter { $0 > 1000 } == Array(1001...2000))
    subscription.dispose()
  }
}

/// Calls a closure with each commit.
private final class Setter: SessionObserver {
  private let react: @Sendable (CommittedState) -> Void

  init(_ react: @escaping @Sendable (CommittedState) -> Void) {
    self.react = react
  }

  func sessionDidCommit(_ state: CommittedState) {
    react(state)
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}
