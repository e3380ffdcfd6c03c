import LogTestSupport
import ReactorCore
import ReactorLog
import ReactorStreams
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import ReactorHost

/// Stored actions, timers and sessions that a release cannot decode.
@Suite struct BlockedWorkTests {
  private let memory = MemoryLog()
  private let lines = Recorder<String>()

  /// A reactor whose actions have a name that the release decides.
  private final class NamedReactor<Action: Codable & Sendable>: Reactor {
    struct State: Codable, Sendable { var done = 0 }
    typealias Mutation = Int

    let initialState = State()
    private let effect: @Sendable (NamedReactor, Action) -> Observable<Int>

    init(_ effect: @escaping @Sendable (NamedReactor, Action) -> Observable<Int>) {
      self.effect = effect
    }

    func mutate(action: Action) -> Observable<Int> { effect(self, action) }

    func reduce(state: State, mutation: Int) -> State { State(done: state.done + mutation) }
  }

  private enum First: Codable { case hold, arm, send }
  private enum Second: Codable { case add }

  /// A host of a release: the first one holds effects as long as `board` does.
  private func host(
    first board: EffectBoard? = nil, _ adjust: (inout HostSettings) -> Void = { _ in }
  ) -> Host {
    var settings = HostSettings()
    adjust(&settings)
    let logger = Logger(level: .info) { [lines] _, message, _ in lines.add(message) }
    let first = ReactorRegistration("named", summary: "First") { context in
      NamedReactor<First> { reactor, action in
        switch action {
        case .hold: board?["a"].map { _ in 1 } ?? .just(1)
        case .arm:
          reactor.schedule(.hold, at: WallTime(milliseconds: 5000), id: "t", every: .seconds(1))
        case .send:
          context.session(ListReactor.self, "list", "main").sendOnly(.add("x"))
        }
      }
    }
    let second = ReactorRegistration("named", summary: "Second") {
      NamedReactor<Second> { _, _ in .just(1) }
    }
    return Host(
      [
        board == nil ? second : first,
        ReactorRegistration("list", summary: "") { ListReactor(board: board ?? EffectBoard()) },
      ], log: memory, settings: settings, logger: logger)
  }

  private func session(_ host: Host) throws -> LiveSession {
    try #require(try host.open("named", "demo") as? LiveSession)
  }

  private func effects(of session: any Session) async throws -> [RunningEffect] {
    try await session.effects(after: nil, limit: 10)
  }

  private var journal: [AcceptedAction] {
    get throws { try memory.session(SessionKey(reactor: "named", id: "demo")).acceptedActions() }
  }

  @Test func `an accepted action that does not decode stays with its key, and others run`()
    async throws
  {
    try session(host(first: EffectBoard())).send(#""hold""#, key: "k")
    for _ in 0..<3 {
      let host = host()
      await host.resumeInterruptedActions()
      let session = try session(host)
      #expect(try journal.map(\.runs) == [1])
      #expect(try session.send(#""add""#, key: "k").values == ["key reused"])
      #expect(try session.send(#""add""#).values.first?.hasPrefix("committed") == true)
      let listed = try await effects(of: session)
      #expect(listed.map(\.id) == ["accepted-1"] && listed[0].isUnreadable)
      let failures = try #require(host.reactor("named")).failedEffects
      #expect(failures.map(\.session) == ["demo"] && failures[0].blocked != nil)
    }
    #expect(lines.values.count { $0 == "stored action cannot be read by this release" } == 3)
    let board = EffectBoard()
    let host = host(first: board)
    await host.resumeInterruptedActions()
    #expect(lines.values.last == "interrupted action runs again")
    board["a"].onNext(.add(1))
    board["a"].onCompleted()
    #expect(try session(host).current.version == 4)
    #expect(try journal.isEmpty)
  }

  @Test func `a client removes a blocked action, and its key has an outcome`() async throws {
    try session(host(first: EffectBoard())).send(#""hold""#, key: "k")
    let host = host()
    let session = try session(host)
    try await session.cancelEffect("accepted-2")
    #expect(try journal.count == 1)
    try await session.cancelEffect("accepted-1")
    #expect(try journal.isEmpty)
    #expect(try await effects(of: session).isEmpty)
    #expect(host.reactor("named")?.failedEffects.isEmpty == true)
    #expect(
      try self.session(self.host(first: EffectBoard())).send(#""hold""#, key: "k").values.first?
        .hasPrefix("replayed committed 0") == true)
  }

  @Test func `a due timer that does not decode stays, and is done for this process`() async throws {
    try session(host(first: EffectBoard())).send(#""arm""#)
    let host = host()
    let firing = Task { await host.fireTimers() }
    try await eventually { !lines.values.isEmpty }
    #expect(lines.values == ["stored action cannot be read by this release"])
    firing.cancel()
    let timers = try memory.session(SessionKey(reactor: "named", id: "demo")).timers()
    #expect(timers.map(\.due.milliseconds) == [5000])
    #expect(host.reactor("named")?.canDecode(action: timers[0].action) == false)
    let again = self.host(first: EffectBoard())
    let firingAgain = Task { await again.fireTimers() }
    try await eventually {
      try memory.session(SessionKey(reactor: "named", id: "demo")).timers()[0].due.milliseconds
        > 5000
    }
    firingAgain.cancel()
  }

  @Test func `an action that runs again keeps its send to a session that does not decode`()
    async throws
  {
    // The first process ends before the send: the other session cannot be read.
    let list = SessionKey(reactor: "list", id: "main")
    let entry = LogEntry(
      version: 1, at: .now, action: nil, global: nil, mutation: Array("{}".utf8), by: nil)
    let written = Recorder<Bool>()
    memory.session(list).append(LogBatch([entry]), to: "e", expecting: 0) {
      if case .success = $0 { written.add(true) }
    }
    #expect(written.values == [true])
    let first = host(first: EffectBoard())
    // A client that waits gets the error.
    let outcome = try session(first).send(#""send""#, by: Principal(id: "ada"))
    try await eventually { outcome.values == ["failed SessionSendError"] }
    // The effect of a host that is released before its send is interrupted.
    withExtendedLifetime(first) {}

    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array(#""send""#.utf8), isInArray: false, key: nil,
      at: .now)
    let version = try session(host(first: EffectBoard())).current
    memory.session(SessionKey(reactor: "named", id: "demo")).append(
      LogBatch(accepted: [action]), to: version.cursor.epoch, expecting: version.version
    ) { if case .success = $0 { written.add(true) } }
    #expect(written.values == [true, true])
    let host = host(first: EffectBoard())
    await host.resumeInterruptedActions()
    let session = try session(host)
    try await eventually {
      lines.values.contains("session cannot be read by this release")
    }
    #expect(session.activity.running == 1)
    #expect(try journal.count == 1)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the counts are those of the items that were added and not removed`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let work = BlockedWork()
    var model: [String: Set<BlockedWork.Item>] = [:]
    for _ in 0..<400 {
      let session = "s\(random.next() % 4)"
      let item = BlockedWork.Item(
        kind: BlockedWork.Kind.allCases[Int(random.next() % 3)], id: "\(random.next() % 60)")
      switch random.next() % 5 {
      case 0, 1, 2:
        let description = FailedEffect(
          session: session, action: nil, principal: nil, time: .now,
          failure: ActionFailure(index: nil, Mishap()), blocked: .timer(item.id))
        #expect(
          work.add(item, of: session, description)
            == model[session, default: []].insert(item).inserted)
      case 3:
        work.remove(item, of: session)
        model[session]?.remove(item)
      default:
        guard random.next() % 20 == 0 else { continue }
        work.removeAll(of: session)
        model[session] = nil
      }
      let all = model.values.flatMap { $0 }
      for kind in BlockedWork.Kind.allCases {
        #expect(work.count(of: kind) == all.count { $0.kind == kind })
      }
      #expect(work.contains(item, of: session) == (model[session]?.contains(item) == true))
      #expect(work.latest.count <= min(all.count, BlockedWork.listLimit))
    }
  }
}
