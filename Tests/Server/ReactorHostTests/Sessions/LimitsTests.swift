import ReactorCore
import ReactorHost
import ReactorStreams
import Synchronization
import Testing

@testable import ReactorHost

/// The bounds of one request, one State and one session.
struct LimitsTests {
  private func state(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  /// An array of actions that add 1.
  private func array(_ count: Int) -> String {
    "[" + Array(repeating: #"{"add":1}"#, count: count).joined(separator: ",") + "]"
  }

  /// Submits a body and waits for the outcome.
  private func outcome(
    of body: String, in session: any Session, key: String? = nil
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try session.submit(
          Array(body.utf8), ifAt: nil, key: key, for: nil, accepted: nil,
          completion: { continuation.resume(returning: $0.words) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  // MARK: Actions

  @Test func `an array with too many actions is rejected and changes nothing`() throws {
    let session = try Stage { $0.actionLimit = 3 }.session()
    try session.send(array(3))
    #expect(throws: ActionDecodingError.self) { try session.send(array(4)) }
    #expect(session.shown == "3 \(state(3))")
  }

  @Test(arguments: [
    (#"[]"#, 0), (#"[1]"#, 1), (#"[[1,2],{"a":1,"b":[3,4]}]"#, 2), (#"[",,,","\",,",1]"#, 3),
  ])
  func `only the elements of the outer array count`(_ body: String, _ count: Int) throws {
    try DecodedActions.checkCount(of: Array(body.utf8), limit: max(1, count))
    guard count > 1 else { return }
    #expect(throws: ActionDecodingError.self) {
      try DecodedActions.checkCount(of: Array(body.utf8), limit: count - 1)
    }
  }

  @Test func `a long array is committed in several batches`() async throws {
    let stage = Stage()
    let session = try stage.session()
    #expect(try await outcome(of: array(120), in: session) == "committed 120 \(state(120))")
    #expect(
      stage.log.appends.values.map { [$0.first ?? -1, $0.count - 1] } == [
        [0, 50], [50, 50], [100, 20],
      ])
  }

  @Test func `other requests are executed between the turns of a long array`() async throws {
    let stage = Stage()
    let session = try stage.session()
    stage.log.set(.held)
    async let array = outcome(of: array(120), in: session)
    while stage.log.appends.values.isEmpty { await Task.yield() }
    let other = try session.send(#"{"add":1000}"#)
    stage.log.set(.atOnce)
    stage.log.releaseAll()
    #expect(try await array == "committed 121 \(state(1120))")
    #expect(other.values == ["committed 51 \(state(1050))"])
  }

  @Test func `a long array that the end of a process interrupts is completed once`() async throws {
    let memory = MemoryLog()
    let first = Stage(over: memory)
    let session = try first.session()
    first.log.set(.held)
    try session.send(array(120), key: "k")
    // The process ends after the first batch.
    first.log.releaseOne()
    let second = Stage(over: memory)
    let restored = try second.session()
    while restored.current.version < 120 { await Task.yield() }
    #expect(restored.shown == "120 \(state(120))")
    while try await outcome(of: array(120), in: restored, key: "k") == "running" {}
    #expect(
      try await outcome(of: array(120), in: restored, key: "k")
        == "replayed committed 120 \(state(120))")
    #expect(restored.shown == "120 \(state(120))")
  }

  @Test func `a session that ends in the midst of a long array responds to it`() async throws {
    let stage = Stage()
    let session = try stage.session()
    stage.log.set(.held)
    let responses = try session.send(array(120))
    stage.log.set(.atOnce)
    try stage.end()
    // The response waits for the result of the batch at the log.
    stage.log.releaseAll()
    #expect(responses.values == ["ended"])
  }

  // MARK: Encodings

  @Test func `states that are replaced within their turn are not encoded`() async throws {
    var settings = HostSettings()
    settings.mutationCheck = .never
    let host = Host([ReactorRegistration("sum", summary: "") { SumReactor() }], settings: settings)
    let session = try Self.open(host)
    SumReactor.encodes.store(0, ordering: .relaxed)
    let body = "[" + Array(repeating: "1", count: 50).joined(separator: ",") + "]"
    _ = try await outcome(of: body, in: session)
    #expect(session.shown == #"50 {"value":50}"#)
    #expect(SumReactor.encodes.load(ordering: .relaxed) < 8)
    let watcher = Watcher()
    _ = session.observe(watcher)
    _ = try await outcome(of: body, in: session)
    #expect(watcher.seen.values == (51...100).map { #"\#($0) {"value":\#($0)}"# })
  }

  private static func open(_ host: Host) throws -> any Session {
    try host.open("sum", "demo")
  }

  // MARK: The size of a State

  @Test func `a mutation that makes the State too large is rejected and changes nothing`() throws {
    let stage = Stage { $0.stateLimit = 38 }
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    #expect(try session.send(#"{"add":1000}"#).values == ["failed StateTooLargeError"])
    #expect(session.shown == "0 \(state(0))")
    #expect(watcher.seen.values.isEmpty)
    #expect(stage.log.appends.values.isEmpty)
    #expect(try session.send(#"{"add":5}"#).values == ["committed 1 \(state(5))"])
  }

  @Test func `the other actions of an array are executed`() throws {
    let session = try Stage { $0.stateLimit = 38 }.session()
    let responses = try session.send(#"[{"add":5},{"add":1000},{"add":1}]"#)
    #expect(responses.values == ["failed StateTooLargeError at 1"])
    #expect(session.shown == "2 \(state(6))")
  }

  // MARK: Effects

  @Test func `a session has a quota of running effects`() throws {
    let stage = Stage { $0.sessionEffectLimit = 2 }
    let session = try stage.session()
    let first = try session.send(#"{"hold":"a"}"#)
    try session.send(#"{"hold":"b"}"#)
    #expect(try session.send(#"{"hold":"c"}"#).values == ["failed EffectLimitError"])
    stage.effects["a"].on(.completed)
    #expect(first.values == ["committed 0 \(state(0))"])
    #expect(try session.send(#"{"hold":"c"}"#).values.isEmpty)
    #expect(session.activity.running == 2)
  }

  @Test func `all sessions share a quota of running effects`() throws {
    let stage = Stage { $0.effectLimit = 1 }
    let first = try stage.session("a")
    let second = try stage.session("b")
    try first.send(#"{"hold":"a"}"#)
    #expect(try second.send(#"{"hold":"b"}"#).values == ["failed EffectLimitError"])
    try stage.end("a")
    #expect(try second.send(#"{"hold":"b"}"#).values.isEmpty)
  }
}

/// A sum that counts the encodings of its state.
private final class SumReactor: Reactor {
  static let encodes = Atomic<Int>(0)

  struct State: Codable, Sendable {
    var value = 0

    init() {}

    init(from decoder: any Decoder) throws {
      value = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .value)
    }

    func encode(to encoder: any Encoder) throws {
      SumReactor.encodes.add(1, ordering: .relaxed)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(value, forKey: .value)
    }

    private enum Key: CodingKey { case value }
  }

  typealias Action = Int
  typealias Mutation = Int

  let initialState = State()

  func reduce(state: State, mutation: Int) -> State {
    var state = state
    state.value += mutation
    return state
  }
}
