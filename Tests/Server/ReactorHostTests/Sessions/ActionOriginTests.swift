import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import Testing

/// The marks of an action's sender, and of repetitions.
struct ActionOriginTests {
  /// Notes the marks of each action.
  private final class Marked: Reactor {
    enum Action: Codable { case note, hold, tell(String), arm(Nested) }

    enum Nested: String, Codable { case note, hold }

    typealias Mutation = String
    typealias State = [String]
    let initialState: [String] = []
    private let context: SessionContext<NoParameters>
    private let board: EffectBoard

    init(_ context: SessionContext<NoParameters>, _ board: EffectBoard) {
      (self.context, self.board) = (context, board)
    }

    func mutate(action: Action) -> Observable<String> {
      let other = context.session(named: "marked", "other")
      return switch action {
      case .note: .just(Self.marks)
      case .hold: .concat(.just(Self.marks), .never())
      case .tell(let action): .concat(.just(Self.marks), other.sendOnly(action))
      case .arm(let nested): schedule(nested == .note ? .note : .hold, at: .now, id: "t")
      }
    }

    func transform(action: Observable<Action>) -> Observable<Action> {
      .merge(action, board[context.session.id].map { _ in .note })
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }

    private static var marks: String {
      let context = RequestContext.current
      let origin =
        switch ActionOrigin.current {
        case .client: "client"
        case .session(let reactor, let id): "session \(reactor)/\(id)"
        case .timer(let id): "timer \(id)"
        case .reactor: "reactor"
        }
      return "\(origin) \(context?.id ?? "-")\(context?.isRepetition == true ? " again" : "")"
    }
  }

  private func host(_ log: any MutationLog, _ board: EffectBoard = EffectBoard()) -> Host {
    Host(
      [ReactorRegistration("marked", summary: "Marks") { Marked($0, board) }], log: log)
  }

  private func send(_ action: String, to session: any Session) throws {
    try session.submit(
      Array(action.utf8), ifAt: nil, key: nil, for: RequestContext(id: "r-1"), accepted: nil
    ) { _ in }
  }

  private func marks(in session: any Session) -> String {
    String(decoding: session.current.json, as: UTF8.self)
  }

  @Test func `an action has the mark of its sender`() async throws {
    let board = EffectBoard()
    let host = host(MemoryLog(), board)
    let (a, other) = (try host.open("marked", "a"), try host.open("marked", "other"))
    try send(#""note""#, to: a)
    board["a"].onNext(.add(1))
    try send(#"{"tell":"\"note\""}"#, to: a)
    try await eventually { marks(in: other) != "[]" }
    #expect(marks(in: a).hasPrefix(#"["client r-1","reactor -","client r-1""#))
    #expect(marks(in: other) == #"["session marked/a r-1"]"#)
  }

  @Test func `the action of a timer has a mark of its own`() async throws {
    let host = host(MemoryLog())
    let a = try host.open("marked", "a")
    let timers = Task { await host.fireTimers() }
    defer { timers.cancel() }
    try send(#"{"arm":"note"}"#, to: a)
    try await eventually { marks(in: a) == #"["timer t timer-t"]"# }
  }

  @Test func `an interrupted action of an anonymous client runs again with its request and a mark`()
    async throws
  {
    let log = MemoryLog()
    let session = try host(log).open("marked", "a")
    try send(#""hold""#, to: session)
    #expect(marks(in: session) == #"["client r-1"]"#)
    let second = host(log)
    await second.resumeInterruptedActions()
    let again = try second.open("marked", "a")
    try await eventually { marks(in: again) == #"["client r-1","client r-1 again"]"# }
  }

  @Test func `an interrupted action of a timer, or of another session, keeps its mark`()
    async throws
  {
    let log = MemoryLog()
    let first = host(log)
    let (a, other) = (try first.open("marked", "a"), try first.open("marked", "other"))
    let timers = Task { await first.fireTimers() }
    defer { timers.cancel() }
    try send(#"{"arm":"hold"}"#, to: a)
    try send(#"{"tell":"\"hold\""}"#, to: a)
    try await eventually { marks(in: a).contains("timer") && marks(in: other) != "[]" }
    let second = host(log)
    await second.resumeInterruptedActions()
    try await eventually {
      let a = marks(in: try second.open("marked", "a"))
      let other = marks(in: try second.open("marked", "other"))
      return a.contains("timer t timer-t again")
        && other.contains("session marked/a r-1 again")
    }
  }
}
