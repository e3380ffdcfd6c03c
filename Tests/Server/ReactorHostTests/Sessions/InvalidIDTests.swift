import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTesting
import Synchronization
import TestSupport
import Testing

/// Texts that are no session ids, in each operation of a reactor that names another session.
struct InvalidIDTests {
  /// Names another session in one of several ways.
  private final class OddReactor: Reactor {
    enum Way: String, Codable, CaseIterable {
      case send, sendOnly, sendNamed, sendOnlyNamed, state, stateNamed
      /// A send after the response, and one of a timer.
      case afterCommit, timer
      /// An observation in `transform(action:)`, and one in `transform(mutation:)`.
      case observe, follow
    }
    struct Action: Codable {
      let way: Way
      let id: String
    }
    typealias Mutation = String

    let initialState = ""
    private let context: SessionContext<NoParameters>
    private let followed: String?
    private let report: @Sendable (any Error) -> Void

    init(
      _ context: SessionContext<NoParameters>, following id: String? = nil,
      report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
      (self.context, self.report, followed) = (context, report, id)
    }

    /// Observes sessions, and continues without one after its error.
    private var observe: @Sendable (String) -> Observable<ListReactor.State> {
      { [context, report] id in
        context.session(ListReactor.self, "list", id).state.catch { error in
          report(error)
          return .empty()
        }
      }
    }

    func transform(action: Observable<Action>) -> Observable<Action> {
      action.flatMap { [observe] action in
        action.way == .observe ? observe(action.id).map { _ in action } : .just(action)
      }
    }

    func transform(mutation: Observable<String>) -> Observable<String> {
      guard let followed, context.session.id != "_" else { return mutation }
      return .merge(mutation, observe(followed).map { _ in "followed" })
    }

    func mutate(action: Action) -> Observable<String> {
      let list = context.session(ListReactor.self, "list", action.id)
      let named = context.session(named: "list", action.id)
      return switch action.way {
      case .send: list.send(.add("x")).map { _ in "sent" }
      case .sendOnly: list.sendOnly(.add("x"))
      case .sendNamed: named.send(#"{"add":"x"}"#)
      case .sendOnlyNamed: named.sendOnly(#"{"add":"x"}"#)
      case .state: list.state.map { _ in "state" }
      case .stateNamed: named.state
      case .afterCommit: .afterCommit { list.sendOnly(.add("x")) }
      case .timer: schedule(Action(way: .send, id: action.id), at: .now, id: "t")
      case .observe, .follow: .empty()
      }
    }

    func reduce(state: String, mutation: String) -> String { mutation }

    func onError(_ error: any Error, in stage: ReactorStage) { report(error) }
  }

  /// Texts of each kind that no client can use as an id, and others with one invalid byte.
  private static let ids: [String] = {
    var random = SplitMix64(seed: 42)
    let valid = Array("AZaz09._~-")
    let invalid = [
      "/", " ", "\u{0}", "\n", "%", "ä", "\u{FFFD}", "\u{1F600}", ":", "\"", "\\", "@",
    ]
    let generated = invalid.map { scalar in
      let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        String(valid.randomElement(using: &random) ?? "a")
      }
      return (text + [scalar]).shuffled(using: &random).joined()
    }
    return generated + ["", ".", ".."] + [129, 5_000].map { String(repeating: "x", count: $0) }
  }()

  private let log = MemoryLog()
  private let errors = Recorder<SessionSendError>()

  private func host(following id: String? = nil) -> Host {
    Host(
      [
        ReactorRegistration("list", summary: "Receives") { _ in ListReactor(board: EffectBoard()) },
        ReactorRegistration("odd", summary: "Sends to any id") { [errors] context in
          OddReactor(context, following: id) {
            if let error = $0 as? SessionSendError { errors.add(error) }
          }
        },
      ], log: log)
  }

  private func expected(_ id: String) -> SessionSendError {
    .invalidID(SessionKey(reactor: "list", id: id))
  }

  @Test(arguments: ids) func `each operation fails with the error of the id`(id: String)
    async throws
  {
    #expect(!SessionKey.isValid(id: id) && expected(id).status == 400)
    let host = host(following: id)
    let odd = try host.open("odd", "o")
    try await eventually { errors.values == [expected(id)] }
    let ways = OddReactor.Way.allCases
    for way in ways where way != .follow {
      let action = OddReactor.Action(way: way, id: id)
      let json = String(decoding: try JSONCoder.encode(action), as: UTF8.self)
      let before = errors.values.count
      let outcomes = try odd.send(json)
      try await eventually { !outcomes.values.isEmpty }
      switch way {
      case .afterCommit, .timer: #expect(outcomes.values == [#"committed 0 """#], "\(way)")
      case .observe: break
      default: #expect(outcomes.values == ["failed SessionSendError"], "\(way)")
      }
      if way == .timer { _ = await host.fireTimers(dueAt: .now) }
      try await eventually { errors.values.count > before }
    }
    #expect(errors.values == Array(repeating: expected(id), count: ways.count))
    try await eventually { try failures().count == 2 }
    #expect(try failures().allSatisfy { $0.kind == .invalidSessionID && $0.reason?.status == 400 })
    #expect(try log.sessions(of: "list", after: nil, limit: 9).isEmpty)
  }

  /// The failures that no request waited for: after the response, and of the timer.
  private func failures() throws -> [ActionFailure] {
    try log.failures(of: "odd").map(\.failure)
  }

  @Test(arguments: ids)
  func `no session is opened, created, forked or ended`(id: String) async throws {
    let host = host()
    _ = try host.open("odd", "o")
    let reactor = try #require(host.reactor("odd"))
    for intent in [SessionIntent.use, .ensure, .create] {
      await #expect(throws: SessionError.unknown) { try await reactor.session(id, for: intent) }
    }
    for (source, target) in [("o", id), (id, "o")] {
      await #expect(throws: SessionError.unknown) {
        try await reactor.fork(source, at: nil, to: target)
      }
    }
    await #expect(throws: SessionError.unknown) { try await reactor.endSession(id) }
    #expect(try log.sessions(of: "odd", after: nil, limit: 9).isEmpty)
  }

  @Test(arguments: ids) func `a test of one reactor gets the error of the id`(id: String) throws {
    let sessions = TestSessions()
    let list = sessions.context("odd", "o").session(ListReactor.self, "list", id)
    let received = Mutex<[SessionSendError]>([])
    for stream in [list.send(.add("x")).map { _ in () }, list.state.map { _ in () }] {
      _ = stream.subscribe(onError: { error in
        if let error = error as? SessionSendError { received.withLock { $0.append(error) } }
      })
    }
    #expect(received.withLock { $0 } == [expected(id), expected(id)])
  }
}
