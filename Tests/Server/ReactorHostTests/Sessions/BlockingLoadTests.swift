import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// Sessions of a log whose reads block: those that take long do not block the requests' thread.
@Suite(.timeLimit(.minutes(60)))
struct BlockingLoadTests {
  private let stage = Stage(over: LogDouble(MemoryLog(), readsFromDisk: true))

  /// Whether a completion is called within the call of the test.
  @TaskLocal private static var isHere = false

  @Test func `a session in memory is used on this thread, and a stored one on another thread`()
    async throws
  {
    _ = try stage.session().send(#"{"add":1}"#)
    let calls = Recorder<Bool>()
    let reactor = try #require(try stage.reactor() as? any LocalReactor)
    try Self.$isHere.withValue(true) {
      reactor.use("demo") { _ in calls.add(Self.isHere) }
      #expect(calls.values == [true])
      try stage.sweep()
      reactor.use("demo") { _ in calls.add(Self.isHere) }
    }
    try await eventually { calls.values.count == 2 }
    #expect(calls.values == [true, false])
  }

  @Test func `the earlier State of a repeated key is folded on another thread`() async throws {
    let session = try stage.session()
    let body = Array(#"{"add":1}"#.utf8)
    try session.send(#"{"add":1}"#, key: "k")
    let calls = Recorder<String>()
    func submit(_ key: String) throws {
      try Self.$isHere.withValue(true) {
        try session.submit(body, ifAt: nil, key: key, for: nil, accepted: nil) {
          calls.add("\(Self.isHere) \($0.words)")
        }
      }
    }
    try submit("k")
    let first = #"replayed committed 1 {"value":1,"name":null,"ratio":null}"#
    #expect(calls.values == ["true \(first)"])
    try session.send(#"{"add":1}"#)
    try submit("k")
    try await eventually { calls.values.count == 2 }
    #expect(calls.values.last == "false \(first)")
  }
}
