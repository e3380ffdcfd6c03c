import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import Telemetry
import Testing

/// Failures that no request waits for are stored, and their actions run again; the rejections that a
/// request gets are not.
struct StoredFailureTests {
  private struct Rejection: ActionError {
    var status: Int { 409 }
    var title: String { "Not now" }
  }

  /// Fails as its board says.
  private final class Job: Reactor {
    enum Action: Codable { case work(String), arm(String), tell(String) }
    typealias Mutation = String
    typealias State = [String]
    let initialState: [String] = []
    private let context: SessionContext<NoParameters>
    private let board: EffectBoard

    init(_ context: SessionContext<NoParameters>, _ board: EffectBoard) {
      (self.context, self.board) = (context, board)
    }

    func mutate(action: Action) -> Observable<String> {
      switch action {
      case .work("reject"): .concat(.just("tried"), .error(Rejection()))
      case .work(let name):
        board[name].take(1).map { mutation in
          if case .add(0) = mutation { throw Rejection() }
          return "done"
        }
      case .arm(let name): schedule(.work(name), at: .now, id: "t")
      case .tell(let name):
        context.session(Job.self, "job", "other").sendOnly(.work(name))
      }
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
  }

  private let log = LogDouble(MemoryLog())
  private let board = EffectBoard()
  private let lines = Recorder<String>()

  private func host() -> Host {
    let logger = Logger(level: .debug) { [lines] level, message, _ in
      lines.add("\(level.rawValue) \(message)")
    }
    return Host(
      [ReactorRegistration("job", summary: "Works") { [board] in Job($0, board) }], log: log,
      logger: logger)
  }

  private func failures() throws -> [StoredFailure] {
    try log.failures(of: "job")
  }

  private func run(_ failure: StoredFailure, in session: any Session) -> Recorder<String> {
    let outcomes = Recorder<String>()
    Task.immediate {
      let outcome = await session.runAgain(failure) { outcomes.add("accepted \($0.words)") }
      outcomes.add(outcome?.words ?? "unknown")
    }
    return outcomes
  }

  @Test func `a rejection that a request gets is logged at debug, once, and not stored`() throws {
    let session = try host().open("job", "a")
    let outcomes = try session.send(#"{"work":"reject"}"#)
    #expect(outcomes.values == ["failed Rejection"])
    #expect(lines.values.filter { $0.contains("reject") } == ["debug action rejected"])
    #expect(!lines.values.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") })
    #expect(try failures().isEmpty)
  }

  @Test func `the failure of a timer is stored in the batch that removes the timer`() async throws {
    let host = host()
    let session = try host.open("job", "a")
    try session.send(#"{"arm":"reject"}"#)
    let timers = Task { await host.fireTimers() }
    defer { timers.cancel() }
    try await eventually { try !failures().isEmpty }
    let batch = try #require(log.batches.values.first { !$0.failures.isEmpty })
    #expect(batch.timers == [StoredTimerChange(id: "t", timer: nil)])
    #expect(batch.entries.count == 1)
    let failure = try #require(try failures().first)
    #expect(String(decoding: failure.action, as: UTF8.self) == #"{"work":"reject"}"#)
    #expect(failure.session == "a" && failure.failure.reason?.status == 409)
    #expect(
      lines.values.filter { $0.contains("reject") } == [
        "warning action rejected, and no request waits for it"
      ])
  }

  @Test func `the failure of a sent action whose sender has gone on is stored`() async throws {
    let host = host()
    let outcomes = try host.open("job", "a").send(#"{"tell":"later"}"#)
    try await eventually { outcomes.values.count == 1 }
    board["later"].onNext(.add(0))
    try await eventually { try failures().map(\.session) == ["other"] }
    // The sender of a failure in the first turn gets it.
    let told = try host.open("job", "a").send(#"{"tell":"reject"}"#)
    try await eventually { told.values == ["failed Rejection"] }
    #expect(try failures().count == 1)
  }

  @Test func `an accepted action that fails after its response is stored, and runs again`()
    async throws
  {
    let host = host()
    let session = try host.open("job", "a")
    var context = RequestContext(id: "r-1", principal: Principal(id: "ada"))
    context.wait = .until(0)
    try session.submit(
      Array(#"{"work":"x"}"#.utf8), ifAt: nil, key: nil, for: context, accepted: { _ in }
    ) { _ in }
    board["x"].onNext(.add(0))
    let failure = try #require(try failures().first)
    // It fails again: a new failure replaces the old one.
    let second = run(failure, in: session)
    board["x"].onNext(.add(0))
    try await eventually { second.values == ["accepted 0 []", "failed Rejection"] }
    let next = try #require(try failures().first)
    #expect(try failures().count == 1 && next.id != failure.id)
    #expect(next.principal == failure.principal)
    #expect(run(failure, in: session).values == ["unknown"])
    // It succeeds, with the principal of the request, also after a restart.
    let restarted = try self.host().open("job", "a")
    let third = run(next, in: restarted)
    #expect(run(next, in: restarted).values == ["unknown"])
    board["x"].onNext(.add(1))
    try await eventually { third.values.last == #"committed 1 ["done"]"# }
    #expect(try await restarted.entries(after: 0, limit: 9).map(\.by) == ["ada"])
    #expect(try failures().isEmpty)
  }

  @Test func `a failure whose removal the log rejects runs again`() async throws {
    let host = host()
    let session = try host.open("job", "a")
    var context = RequestContext(id: "r-1")
    context.wait = .never
    try session.submit(
      Array(#"{"work":"reject"}"#.utf8), ifAt: nil, key: nil, for: context, accepted: nil
    ) { _ in }
    let failure = try #require(try failures().first)
    log.set(.failing(.full))
    #expect(run(failure, in: session).values == ["not committed: full"])
    log.set(.atOnce)
    #expect(try failures() == [failure])
    let again = try host.open("job", "a")
    #expect(run(failure, in: again).values == ["failed Rejection"])
    #expect(try failures().count == 1 && failures() != [failure])
    try await again.dismiss(try failures()[0])
    #expect(try failures().isEmpty)
  }
}
