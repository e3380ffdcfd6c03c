import ReactorHost
import Synchronization
import Testing

/// Sessions that many threads use at once, over a log that completes on other threads.
@Suite(.timeLimit(.minutes(60)))
struct SessionRacesTests {
  private let stage = Stage()

  init() {
    stage.log.set(.elsewhere)
  }

  /// Opens the session, sends one action and waits for its outcome.
  private func sendOne(for intent: SessionIntent = .use) async throws -> String {
    let (reactor, session): (any HostedReactor, any Session)
    reactor = try stage.reactor()
    do throws(SessionError) {
      session = try await reactor.session("demo", for: intent).session
    } catch {
      return "no session: \(error)"
    }
    let (outcomes, outcome) = AsyncStream<String>.makeStream()
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { outcome.yield($0.words) })
    for await words in outcomes { return words }
    return "cancelled"
  }

  private func sendMany(tasks: Int, each: Int) async throws -> [String] {
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var outcomes: [String] = []
          for _ in 0..<each { outcomes.append(try await sendOne()) }
          return outcomes
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Repeats an operation while a body is executed.
  private func meanwhile<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Value
  ) async throws -> Value {
    let isOver = AtomicFlag()
    async let repetition: Void = {
      while !isOver.isSet {
        try await work()
        await Task.yield()
      }
    }()
    let value = try await body()
    isOver.set()
    try await repetition
    return value
  }

  @Test func `each version is published once and in order, and each request gets a response`()
    async throws
  {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    let outcomes = try await sendMany(tasks: 4, each: 100)
    #expect(outcomes.count == 400)
    #expect(outcomes.allSatisfy { $0.hasPrefix("committed") })
    #expect(session.shown == #"400 {"value":400,"name":null,"ratio":null}"#)
    #expect(
      watcher.seen.values
        == (1...400).map { #"\#($0) {"value":\#($0),"name":null,"ratio":null}"# })
  }

  @Test func `sweeps evict no session in use and lose no mutation`() async throws {
    let outcomes = try await meanwhile {
      try stage.sweep()
    } _: {
      try await sendMany(tasks: 4, each: 100)
    }
    #expect(outcomes.allSatisfy { $0.hasPrefix("committed") })
    #expect(try stage.session().shown == #"400 {"value":400,"name":null,"ratio":null}"#)
  }

  @Test func `globals that are set continuously get their turns`() async throws {
    let outcomes = try await meanwhile {
      try stage.name.set("Ada")
      try stage.sweep()
      try stage.name.set(nil)
    } _: {
      try await sendMany(tasks: 2, each: 100)
    }
    #expect(outcomes.allSatisfy { $0.hasPrefix("committed") })
    let state = try stage.session().current
    #expect(String(decoding: state.json, as: UTF8.self).hasPrefix(#"{"value":200,"#))
  }

  @Test func `each request gets a response while the session is deleted and created`() async throws
  {
    let stage = stage
    let outcomes = try await meanwhile {
      try? await stage.reactor().endSession("demo")
      _ = try await sendOne(for: .ensure)
    } _: {
      try await sendMany(tasks: 3, each: 100)
    }
    #expect(outcomes.count == 300)
    #expect(
      outcomes.allSatisfy {
        $0.hasPrefix("committed") || ["ended", "no session: ended"].contains($0)
          || $0 == "not committed: conflict"
      })
  }
}

/// A flag that ends a task.
private final class AtomicFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
  }
}
