import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import Testing

/// Effects that continue after the response.
struct AfterCommitTests {
  private final class Room: Reactor {
    enum Action: Codable { case post(String), notify(String) }
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
      case .notify(let text): return .just(text)
      case .post(let text):
        let member = context.session(Room.self, "room", "member")
        // An action that runs again skips the mutation that is committed.
        let isPosted = currentState.contains(text)
        return .concat(
          isPosted ? .empty() : .just(text),
          .afterCommit { [board] in
            .concat(
              member.sendOnly(.notify(text)),
              board[text].take(1).map { mutation in
                if case .add(0) = mutation { throw CancelledPost() }
                return "sent"
              })
          })
      }
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
  }

  private struct CancelledPost: Error {}

  private let log = LogDouble(MemoryLog())
  private let board = EffectBoard()

  private func host(_ board: EffectBoard? = nil) -> Host {
    let board = board ?? self.board
    return Host([ReactorRegistration("room", summary: "") { Room($0, board) }], log: log)
  }

  private func journal() throws -> Int {
    try log.session(SessionKey(reactor: "room", id: "a")).acceptedActions().count
  }

  @Test func `the response comes with the commit, and the effects continue`() async throws {
    let host = host()
    let session = try host.open("room", "a")
    log.set(.held)
    let outcomes = try session.send(#"{"post":"x"}"#)
    #expect(outcomes.values.isEmpty)
    #expect(log.releaseOne())
    #expect(outcomes.values == [#"committed 1 ["x"]"#])
    #expect(try journal() == 1)
    log.set(.atOnce)
    log.releaseAll()
    try await eventually { try host.open("room", "member").shown == #"1 ["x"]"# }
    board["x"].onNext(.add(1))
    try await eventually { try journal() == 0 && session.shown == #"2 ["x","sent"]"# }
    #expect(outcomes.values.count == 1)
  }

  @Test func `after a crash the effects run again, and each send is executed once`() async throws {
    // The effects of the first host have no influence, as after a crash.
    let first = host(EffectBoard())
    let session = try first.open("room", "a")
    _ = try session.send(#"{"post":"x"}"#)
    try await eventually { try first.open("room", "member").shown == #"1 ["x"]"# }
    let second = host()
    await second.resumeInterruptedActions()
    let again = try second.open("room", "a")
    try await eventually {
      board["x"].onNext(.add(1)); return try journal() == 0
    }
    #expect(again.shown == #"2 ["x","sent"]"#)
    #expect(try second.open("room", "member").shown == #"1 ["x"]"#)
  }

  @Test func `an error after the response is a stored failure`() async throws {
    let host = host()
    let session = try host.open("room", "a")
    let outcomes = try session.send(#"{"post":"x"}"#)
    try await eventually {
      board["x"].onNext(.add(0)); return try journal() == 0
    }
    #expect(outcomes.values == [#"committed 1 ["x"]"#])
    #expect(try log.failures(of: "room").count == 1)
    #expect(try host.open("room", "member").shown == #"1 ["x"]"#)
  }

  @Test func `an array has its response when no action delays it`() async throws {
    let host = host()
    let session = try host.open("room", "a")
    let outcomes = try session.send(#"[{"post":"x"},{"post":"y"}]"#)
    #expect(outcomes.values == [#"committed 2 ["x","y"]"#])
    let mixed = try session.send(#"[{"post":"z"},{"notify":"n"}]"#)
    #expect(mixed.values.isEmpty)
    try await eventually {
      board["z"].onNext(.add(1))
      return mixed.values.count == 1
    }
    #expect(try host.open("room", "member").current.version == 3)
  }
}
