import ReactorHost
import Synchronization
import Testing

/// Sessions that many threads use at once, over a log that completes on yet others.
@Suite(.timeLimit(.minutes(1)))
struct SessionRacesTests {
  private let stage = Stage()

  init() {
    stage.log.set(.elsewhere)
  }

  /// Opens the session, sends one action and waits for its answer.
  private func sendOne(for intent: SessionIntent = .use) async throws -> String {
    let (answers, answer) = AsyncStream<String>.makeStream()
    try stage.reactor().session("demo", for: intent) { result in
      switch result {
      case .success(let opened):
        do {
          try opened.session.submit(
            Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
            completion: { answer.yield($0.words) })
        } catch {
          answer.yield("not decoded")
        }
      case .failure(let error): answer.yield("no session: \(error)")
      }
    }
    for await words in answers { return words }
    return "cancelled"
  }

  private func sendMany(tasks: Int, each: Int) async throws -> [String] {
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var answers: [String] = []
          for _ in 0..<each { answers.append(try await sendOne()) }
          return answers
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Does something again and again while a body runs.
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

  @Test func `every version is told once and in order, and every request answered`() async throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    let answers = try await sendMany(tasks: 4, each: 100)
    #expect(answers.count == 400)
    #expect(answers.allSatisfy { $0.hasPrefix("committed") })
    #expect(session.shown == #"400 {"value":400,"name":null,"ratio":null}"#)
    #expect(
      watcher.told.values
        == (1...400).map { #"\#($0) {"value":\#($0),"name":null,"ratio":null}"# })
  }

  @Test func `sweeping takes nobody's session away, and loses no mutation`() async throws {
    let answers = try await meanwhile {
      try stage.sweep()
    } _: {
      try await sendMany(tasks: 4, each: 100)
    }
    #expect(answers.allSatisfy { $0.hasPrefix("committed") })
    #expect(try stage.session().shown == #"400 {"value":400,"name":null,"ratio":null}"#)
  }

  @Test func `globals that are set all the while get their turns`() async throws {
    let answers = try await meanwhile {
      try stage.name.set("Ada")
      try stage.sweep()
      try stage.name.set(nil)
    } _: {
      try await sendMany(tasks: 2, each: 100)
    }
    #expect(answers.allSatisfy { $0.hasPrefix("committed") })
    let state = try stage.session().current
    #expect(String(decoding: state.json, as: UTF8.self).hasPrefix(#"{"value":200,"#))
  }

  @Test func `deleting and making it again leaves nobody without an answer`() async throws {
    let stage = stage
    let answers = try await meanwhile {
      let (ends, end) = AsyncStream<Void>.makeStream()
      try stage.reactor().endSession("demo") { _ in end.yield() }
      for await _ in ends { break }
      _ = try await sendOne(for: .ensure)
    } _: {
      try await sendMany(tasks: 3, each: 100)
    }
    #expect(answers.count == 300)
    #expect(
      answers.allSatisfy {
        $0.hasPrefix("committed") || ["ended", "no session: ended"].contains($0)
          || $0 == "not committed: conflict"
      })
  }
}

/// Tells a task that it is over.
private final class AtomicFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
  }
}
