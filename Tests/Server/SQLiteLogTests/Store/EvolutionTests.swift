import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import SQLiteLog
import Testing
import TestSupport

/// A reactor whose State and Mutation have changed, with the store of its earlier release.
@Suite struct EvolutionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: Both releases

  private final class FirstRelease: Reactor {
    enum Action: Codable, Sendable { case add(Int), label(String) }
    enum Mutation: Codable, Sendable { case plus(Int), label(String) }
    struct State: Codable, Sendable { var count = 0 }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .add(let number): .just(.plus(number))
      case .label(let text): .just(.label(text))
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      guard case .plus(let number) = mutation else { return state }
      return State(count: state.count + number)
    }
  }

  /// Renames `plus`, retains the labels, and has another State.
  private final class SecondRelease: Reactor {
    enum Action: Codable, Sendable { case add(Int) }
    enum Mutation: Codable, Sendable { case change(by: Int), label(String) }
    struct State: Codable, Sendable {
      var total = 0
      var labels: [String] = []
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      guard case .add(let number) = action else { return .empty() }
      return .just(.change(by: number))
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .change(let number): state.total += number
      case .label(let text): state.labels.append(text)
      }
      return state
    }
  }

  private struct NoUpgrade: Error {}

  private static func upgrade(_ mutation: String) throws -> String {
    guard mutation.hasPrefix(#"{"plus":"#), mutation.hasSuffix("}") else { throw NoUpgrade() }
    return #"{"change":{"by":\#(mutation.dropFirst(8).dropLast())}}"#
  }

  // MARK: Hosting

  private func host(
    _ registration: ReactorRegistration, retention: Retention = .all,
    _ body: (any HostedReactor) async throws -> Void
  ) async throws {
    let log = try SQLiteLog(path: folder["log.db"], retention: RetentionRules(retention))
    var settings = HostSettings()
    settings.snapshotInterval = 10
    let host = Host([registration], log: log, settings: settings)
    try await body(try #require(host.reactor("sum")))
    try await log.drain()
    log.close()
  }

  private func first(
    retention: Retention = .all, _ body: (any HostedReactor) async throws -> Void
  ) async throws {
    try await host(
      ReactorRegistration("sum", summary: "") { FirstRelease() }, retention: retention, body)
  }

  private func second(
    upgrading: Bool = true, retention: Retention = .all,
    _ body: (any HostedReactor) async throws -> Void
  ) async throws {
    let upgrade: MutationUpgrade = { try Self.upgrade($0) }
    try await host(
      ReactorRegistration("sum", summary: "", upgradeMutation: upgrading ? upgrade : nil) {
        SecondRelease()
      },
      retention: retention, body)
  }

  // MARK: Tests

  @Test func `snapshots of another State are skipped, and mutations are upgraded`() async throws {
    try await first { reactor in
      for number in 1...25 { try await reactor.run(#"{"add":\#(number)}"#) }
      try await reactor.run(#"{"label":"x"}"#)
    }
    try await second { reactor in
      let session = try await reactor.open("demo")
      #expect(session.current.text == #"{"total":325,"labels":["x"]}"#)
      #expect(try await session.state(at: 20).text == #"{"total":210,"labels":[]}"#)
      try await reactor.run(#"{"add":1}"#)
      #expect(session.current.text == #"{"total":326,"labels":["x"]}"#)
      #expect(try reactor.refold("demo").findings == [])
    }
    // The fold is stored as a snapshot, so that the next load need not repeat it.
    let schemas = try Shell.sqlite(
      folder["log.db"], "SELECT count(DISTINCT schema), max(version) FROM snapshots")
    #expect(schemas == "2|26\n")
    try await second(upgrading: false) { reactor in
      let session = try await reactor.open("demo")
      #expect(session.current.text == #"{"total":326,"labels":["x"]}"#)
    }
  }

  @Test func `an unreadable mutation is reported with its version, for its session only`()
    async throws
  {
    try await first { reactor in
      try await reactor.run(#"{"label":"x"}"#, in: "good")
      try await reactor.run(#"{"label":"x"}"#, in: "bad")
      try await reactor.run(#"{"add":1}"#, in: "bad")
    }
    try await second(upgrading: false) { reactor in
      let good = try await reactor.open("good")
      #expect(good.current.version == 1)
      let problem = await reactor.problem(of: "bad")
      #expect(problem?.version == 2)
      #expect(problem?.reason.isEmpty == false)
      #expect(throws: LogError.self) { try reactor.refold("bad") }
    }
    try await second { reactor in
      let bad = try await reactor.open("bad")
      #expect(bad.current.text == #"{"total":1,"labels":["x"]}"#)
    }
  }

  @Test func `a missing beginning of a log is reported, for its session only`() async throws {
    try await first(retention: .versions(5)) { reactor in
      for _ in 1...30 { try await reactor.run(#"{"add":1}"#, in: "old") }
      try await reactor.run(#"{"label":"x"}"#, in: "young")
    }
    #expect(
      try Shell.sqlite(folder["log.db"], "SELECT min(version) > 1 FROM mutations WHERE session = 1")
        == "1\n")
    let snapshot = try Shell.sqlite(
      folder["log.db"], "SELECT max(version) FROM snapshots WHERE session = 1")
    try await second(retention: .versions(5)) { reactor in
      let young = try await reactor.open("young")
      #expect(young.current.version == 1)
      let problem = await reactor.problem(of: "old")
      #expect(problem.map { "\($0.version)\n" } == snapshot)
      #expect(problem?.reason.contains("retention has removed") == true)
    }
    // The first release can still read the session.
    try await first(retention: .versions(5)) { reactor in
      let old = try await reactor.open("old")
      #expect(old.current.text == #"{"count":30}"#)
    }
  }

  @Test func `retention deletes no entry that this release has not folded yet`() async throws {
    func oldest() throws -> String {
      try Shell.sqlite(
        folder["log.db"],
        """
        SELECT min(version) FROM mutations JOIN sessions ON id = mutations.session
        WHERE sessions.session = 'idle'
        """)
    }
    try await first { reactor in
      for _ in 1...30 { try await reactor.run(#"{"add":1}"#, in: "idle") }
    }
    // The session is not in use while retention runs.
    try await second(retention: .versions(5)) { reactor in
      for _ in 1...30 { try await reactor.run(#"{"add":1}"#, in: "busy") }
    }
    #expect(try oldest() == "1\n")
    try await second(retention: .versions(5)) { reactor in
      let idle = try await reactor.open("idle")
      #expect(idle.current.text == #"{"total":30,"labels":[]}"#)
      for _ in 1...30 { try await reactor.run(#"{"add":1}"#, in: "idle") }
      for _ in 1...30 { try await reactor.run(#"{"add":1}"#, in: "busy") }
    }
    #expect(try oldest() != "1\n")
  }

  @Test func `old snapshots of a log without retention are thinned out`() async throws {
    try await first { reactor in
      for _ in 1...200 {
        try await reactor.run(
          "[" + Array(repeating: #"{"add":1}"#, count: 10).joined(separator: ",") + "]")
      }
      let session = try await reactor.open("demo")
      for version in [1, 15, 777, 1500, 1999] {
        #expect(try await session.state(at: version).text == #"{"count":\#(version)}"#)
      }
    }
    let count = try Shell.sqlite(folder["log.db"], "SELECT count(*) FROM snapshots")
    #expect(try #require(Int(count.dropLast())) < 110)
    #expect(try SQLiteMaintenance(path: folder["log.db"]).check() == [])
  }
}

extension HostedReactor {
  fileprivate func open(_ id: String) async throws -> any Session {
    try await session(id, for: .use).session
  }

  /// The version of a session that cannot be read, and the reason.
  fileprivate func problem(of id: String) async -> (version: Int, reason: String)? {
    do {
      _ = try await open(id)
      return nil
    } catch {
      guard case .log(.unreadable(let version, let reason)) = error as? SessionError else {
        return nil
      }
      return (version, reason)
    }
  }

  fileprivate func run(_ action: String, in id: String = "demo") async throws {
    let session = try await open(id)
    let outcome = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<ActionOutcome, any Error>) in
      do {
        try session.submit(
          Array(action.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
          completion: { continuation.resume(returning: $0) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
    guard case .committed = outcome else { throw NotCommitted(outcome: "\(outcome)") }
  }
}

private struct NotCommitted: Error {
  let outcome: String
}

extension CommittedState {
  fileprivate var text: String { String(decoding: json, as: UTF8.self) }
}
