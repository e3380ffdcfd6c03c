import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Telemetry
import Testing

/// Values of ``Private`` reach `mutate`, and nothing else than the journal of a running action has them.
struct PrivateValueTests {
  private static let secret = "s3cret-4f1d9c"

  /// Signs users in; a name that starts with `hold` waits for its effect.
  private final class Door: Reactor {
    struct Credentials: Codable {
      var name: String
      @Private var password: String
    }

    enum Action: Codable {
      case signIn(Credentials)
      case unlock(pin: Private<Int>)
      case code(Private<String?>)
      case relay(Credentials)
      case later(Credentials)
    }

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
      case .signIn(let user) where user.name.hasPrefix("hold"):
        return board[user.name].take(1).map {
          if case .add(0) = $0 { throw Rejection() }
          return "\(user.name) \(user.password == secret)"
        }
      case .signIn(let user): return .just("\(user.name) \(user.password == secret)")
      case .unlock(let pin): return .just("\(pin.wrappedValue == 417_273)")
      case .code(let code): return .just(code.wrappedValue == nil ? "none" : "some")
      case .relay(let user):
        return context.session(Door.self, "door", "other").sendOnly(.signIn(user))
      case .later(let user):
        return schedule(.signIn(user), at: .now, id: "t")
      }
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
  }

  private struct Rejection: Error {}

  private let memory = MemoryLog(changeRetention: .seconds(3_600))
  private let board = EffectBoard()
  private let lines = Recorder<String>()
  private let conversions = Recorder<String>()

  private func host(over log: any MutationLog, _ board: EffectBoard? = nil) -> Host {
    let board = board ?? self.board
    let logger = Logger(level: .debug) { [lines] _, message, fields in
      lines.add("\(message) \(fields)")
    }
    return Host(
      [
        ReactorRegistration(
          "door", summary: "A door",
          upgradeAction: .converting { [conversions] action in
            conversions.add("\(action)")
            return action
          }
        ) { [board] in Door($0, board) }
      ], log: log, logger: logger)
  }

  private static func signIn(_ name: String, _ password: String = secret) -> String {
    #"{"signIn":{"name":"\#(name)","password":"\#(password)"}}"#
  }

  private func journal(_ id: String = "a") throws -> [AcceptedAction] {
    try memory.session(SessionKey(reactor: "door", id: id)).acceptedActions()
  }

  @Test func `mutate gets the values, and the log a marker`() async throws {
    let log = LogDouble(memory)
    let session = try host(over: log).open("door", "a")
    try session.send(Self.signIn("ada"))
    try session.send(#"{"unlock":{"pin":417273}}"#)
    try session.send(#"[{"code":null},{"code":"\#(Self.secret)"}]"#)
    #expect(
      try await session.entries(after: 0, limit: 9).map(\.words) == [
        #"1 {"signIn":{"name":"ada","password":{"private":0}}} "ada true""#,
        #"2 {"unlock":{"pin":{"private":0}}} "true""#, #"3 {"code":{"private":0}} "none""#,
        #"4 {"code":{"private":0}} "some""#,
      ])
    #expect(!"\(log.batches.values)\(lines.values)".contains(Self.secret))
  }

  @Test func `the journal has a value while its action runs, also after a restart`() async throws {
    do {
      // The effects of the interrupted process do not continue.
      let session = try host(over: memory, EffectBoard()).open("door", "a")
      let outcomes = try session.send("[\(Self.signIn("hold1")),\(Self.signIn("hold2"))]")
      #expect(outcomes.values.isEmpty)
      #expect(try journal().allSatisfy { $0.text.contains(Self.secret) })
    }
    let host = host(over: memory)
    await host.resumeInterruptedActions()
    let session = try host.open("door", "a")
    #expect(
      try journal().map { String(decoding: $0.action, as: UTF8.self) } == [
        #"{"signIn":{"name":"hold1","password":{"private":0}}}"#,
        #"{"signIn":{"name":"hold2","password":{"private":0}}}"#,
      ])
    // A failed action stays in the journal until the others of its request end, without its value.
    board["hold1"].onNext(.add(0))
    #expect(try journal().map { $0.text.contains(Self.secret) } == [false, true])
    board["hold2"].onNext(.add(1))
    #expect(try journal().isEmpty)
    #expect(session.shown == #"1 ["hold2 true"]"#)
    // The action is in the form that this release writes: it is not converted.
    #expect(conversions.values.isEmpty)
    #expect(!"\(lines.values)".contains(Self.secret))
  }

  @Test func `a repetition is compared without the values`() throws {
    let log = LogDouble(memory)
    let session = try host(over: log).open("door", "a")
    try session.send(Self.signIn("ada"), key: "k")
    #expect(
      try session.send(Self.signIn("ada", "other"), key: "k").values == [
        #"replayed committed 1 ["ada true"]"#
      ])
    #expect(try session.send(Self.signIn("eve"), key: "k").values == ["key reused"])
    let digest = IdempotencyKey("k", for: Array(Self.signIn("ada").utf8)).body
    #expect(!"\(log.batches.values)".contains(digest))
  }

  @Test func `a send to another session has the value`() async throws {
    let log = LogDouble(memory)
    let host = host(over: log)
    try host.open("door", "a").send(
      #"{"relay":{"name":"ada","password":"\#(Self.secret)"}}"#)
    let other = try host.open("door", "other")
    try await eventually { other.shown == #"1 ["ada true"]"# }
    #expect(!"\(log.batches.values.map { $0.entries })\(lines.values)".contains(Self.secret))
  }

  @Test func `a timer with a private value is rejected`() throws {
    let session = try host(over: memory).open("door", "a")
    #expect(
      try session.send(#"{"later":{"name":"ada","password":"x"}}"#).values == ["failed TimerError"])
  }

  @Test func `a failed action does not run again without its value`() async throws {
    let session = try host(over: memory).open("door", "a")
    var context = RequestContext(id: "r-1")
    context.wait = .until(0)
    try session.submit(
      Array(Self.signIn("hold").utf8), ifAt: nil, key: nil, for: context, accepted: { _ in }
    ) { _ in }
    board["hold"].onNext(.add(0))
    let failure = try #require(try memory.failures(of: "door").first)
    #expect(!"\(failure)".contains(Self.secret))
    let outcome = await session.runAgain(failure) { _ in }
    #expect(outcome?.words.contains("has a private value, which was not stored") == true)
  }

  @Test func `the schema of an action says that its values are not returned`() throws {
    let reactor = try #require(host(over: memory).reactor("door"))
    let schema = String(decoding: reactor.description.actionSchema, as: UTF8.self)
    #expect(schema.contains(#""password":{"type":"string","writeOnly":true}"#))
    #expect(schema.contains(#""pin":{"type":"integer","writeOnly":true}"#))
  }

  // MARK: Registration

  private struct Secret: Codable { @Private var text = "" }

  private final class Other<Mutation: Codable & Sendable, State: Codable & Sendable>: Reactor {
    typealias Action = String
    let initialState: State
    init(_ state: State, _ mutation: Mutation.Type) { initialState = state }
    func reduce(state: State, mutation: Mutation) -> State { state }
  }

  @Test func `a private value in the State or a mutation is rejected at the start`() throws {
    let inState = ReactorRegistration("a", summary: "") { Other([Secret()], String.self) }
    let inMutation = ReactorRegistration("a", summary: "") { Other("", Secret?.self) }
    let neither = ReactorRegistration("a", summary: "") { Other("", String.self) }
    #expect(inState.declarationProblem?.hasPrefix("its State has a @Private value") == true)
    #expect(inMutation.declarationProblem?.hasPrefix("its Mutation has a @Private value") == true)
    #expect(neither.declarationProblem == nil)
    #expect(throws: PrivateValueError.self) { try JSONCoder.encode(Secret(text: "x")) }
    let sent = try PrivateValues.included { try JSONCoder.encode(Secret(text: "x")) }
    #expect(String(decoding: sent, as: UTF8.self) == #"{"text":"x"}"#)
    #expect(!"\(Secret(text: "hidden"))".contains("hidden"))
  }
}

extension AcceptedAction {
  fileprivate var text: String { String(decoding: action + (context ?? []), as: UTF8.self) }
}
