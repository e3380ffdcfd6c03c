import LogTestSupport
import ReactorCore
import ReactorLog
import ReactorStreams
import Testing

@testable import ReactorHost

/// The second release of a reactor reads what the first one stored, wherever it is stored.
@Suite struct ReleasesTests {
  // MARK: The second release

  struct Card: Codable, Sendable, DecodingDefaults {
    var id: Int
    var labels: [String] = ["new"]
    var due: Int?
    var place = Place(x: 1)

    static var decodingDefaults: MemberDefaults<Card> { MemberDefaults("labels", of: Card(id: 0)) }
  }

  struct Place: Codable, Sendable, DecodingDefaults {
    var x: Int
    var y = 3

    static var decodingDefaults: MemberDefaults<Place> { MemberDefaults("y", of: Place(x: 0)) }
  }

  struct Size: Codable, Sendable { var width: Int }

  enum Status: String, Codable, Sendable { case open, done }

  /// The actions and the mutations.
  enum Change: Codable, Sendable, DecodingDefaults {
    case put(Card)
    case named(name: String = "unnamed")
    case sized(Size)
    case status(Status)
    case remind(card: Int, times: Int)
    case moved(to: Int, times: Int = 2)
    case closed
    case nothing
    case opened(by: String?)

    static var decodingDefaults: MemberDefaults<Change> {
      [MemberDefaults("name", of: .named()), MemberDefaults("times", of: .moved(to: 0))]
    }
  }

  private static let upgrade: JSONUpgrade = [
    .renaming(case: "sorted", to: "status"),
    .replacing("", in: "status") { $0 == "todo" ? "open" : $0 },
    .renaming("title", to: "name", in: "named"),
    .removing("by", in: "closed"),
    .replacing(case: "sized") { $0["width"] == nil ? ["sized": ["width": $0]] : ["sized": $0] },
    .replacing(case: "remind") { old in
      old["card"] != nil
        ? ["remind": old] : ["remind": ["card": old["id"] ?? .null, "times": 1]]
    },
    .replacing(case: "dropped", with: "nothing"),
  ]

  final class BoardReactor: Reactor {
    typealias Action = Change
    typealias Mutation = Change

    struct State: Codable, Sendable {
      var title: String
      var archive = [1]
      var changes: [Change] = []
    }

    let initialState: State

    init(_ parameters: Parameters) {
      initialState = State(title: "\(parameters.title) \(parameters.seats)")
    }

    func mutate(action: Change) -> Observable<Change> { .just(action) }

    func reduce(state: State, mutation: Change) -> State {
      var state = state
      state.changes.append(mutation)
      return state
    }
  }

  struct Parameters: Codable, Sendable {
    var title: String
    var seats: Int
  }

  // MARK: What the first release stored

  /// The JSON of the first release, and that of the second one.
  static let changes: [(String, String)] = [
    // Members with a default and an optional one are added, in nested types too.
    (
      #"{"put":{"id":1,"place":{"x":1}}}"#,
      #"{"put":{"id":1,"labels":["new"],"due":null,"place":{"x":1,"y":3}}}"#
    ),
    // A member is removed.
    (
      #"{"put":{"id":1,"labels":[],"due":null,"place":{"x":1,"y":4},"old":true}}"#,
      #"{"put":{"id":1,"labels":[],"due":null,"place":{"x":1,"y":4}}}"#
    ),
    // A member is renamed, and its new name has a default.
    (#"{"named":{"title":"a"}}"#, #"{"named":{"name":"a"}}"#),
    // The type of a value changes.
    (#"{"sized":5}"#, #"{"sized":{"width":5}}"#),
    // A case and a raw value are renamed.
    (#"{"sorted":"todo"}"#, #"{"status":"open"}"#),
    (#"{"status":"done"}"#, #"{"status":"done"}"#),
    // A case has other associated values.
    (#"{"remind":{"id":7}}"#, #"{"remind":{"card":7,"times":1}}"#),
    // An associated value with a default is added, one is removed, and an optional one is added.
    (#"{"moved":{"to":1}}"#, #"{"moved":{"to":1,"times":2}}"#),
    (#"{"closed":{"by":"x"}}"#, #""closed""#),
    (#""opened""#, #"{"opened":{"by":null}}"#),
    // A case is removed.
    (#"{"dropped":7}"#, #""nothing""#),
    // The second release wrote it.
    (#"{"remind":{"card":8,"times":3}}"#, #"{"remind":{"card":8,"times":3}}"#),
  ]

  private let log = MemoryLog(retainedVersions: 2)
  private let key = SessionKey(reactor: "board", id: "demo")

  private func host(
    upgrade: JSONUpgrade? = upgrade, parameters: JSONUpgrade? = nil, of log: MemoryLog? = nil
  ) -> Host {
    let state: JSONUpgrade = [
      .renaming("boardTitle", to: "title"),
      .replacing("changes/*") { try (upgrade ?? [])($0) },
    ]
    return Host(
      [
        ReactorRegistration(
          "board", summary: "A board", parameters: Parameters.self,
          defaultParameters: Parameters(title: "Board", seats: 4), upgradeMutation: upgrade,
          upgradeAction: upgrade, upgradeState: state, upgradeParameters: parameters
        ) { BoardReactor($0.parameters) }
      ], log: log ?? self.log)
  }

  private func append(_ batch: LogBatch, expecting version: Int = 0) throws {
    let results = Recorder<Result<Void, LogError>>()
    log.session(key).append(batch, to: "epoch", expecting: version) { results.add($0) }
    try #require(results.values.first).get()
  }

  private func entry(_ version: Int, _ mutation: String) -> LogEntry {
    LogEntry(version: version, at: .now, action: nil, mutation: Array(mutation.utf8))
  }

  private func state(_ changes: String) -> String {
    #"{"title":"Board 4","archive":[1],"changes":[\#(changes)]}"#
  }

  // MARK: Tests

  @Test(arguments: changes) func `a mutation`(_ old: String, _ new: String) async throws {
    try append(LogBatch([entry(1, old)]))
    let host = host()
    #expect(try host.open("board", "demo").shown == "1 \(state(new))")
    let copy = try await #require(host.reactor("board")).fork("demo", at: 1, to: "copy")
    #expect(copy.session.shown == "1 \(state(new))")
  }

  @Test(arguments: changes) func `an accepted action`(_ old: String, _ new: String) async throws {
    let action = AcceptedAction(
      id: .init(request: 1, place: 0), action: Array(old.utf8), isInArray: false, key: nil, at: .now
    )
    try append(LogBatch(accepted: [action]))
    let host = host()
    await host.resumeInterruptedActions()
    #expect(try host.open("board", "demo").shown == "1 \(state(new))")
  }

  @Test(arguments: changes) func `a timer`(_ old: String, _ new: String) async throws {
    let timer = StoredTimer(id: "a", due: .now, action: Array(old.utf8))
    try append(LogBatch(timers: [StoredTimerChange(id: "a", timer: timer)]))
    let session = try #require(host().open("board", "demo") as? LiveSession)
    let due = try log.dueTimers(after: nil, until: .now, limit: 1).timers[0]
    #expect(await SessionTimers(session: session).fire(due) == .done)
    #expect(session.shown == "1 \(state(new))")
  }

  @Test(arguments: changes) func `an action that is sent`(_ old: String, _ new: String) throws {
    let session = try host().open("board", "demo")
    #expect(try session.send(old).values == ["committed 1 \(state(new))"])
    #expect(
      try session.send("[\(old),\(old)]").values
        == ["committed 3 \(state([new, new, new].joined(separator: ",")))"])
  }

  @Test(arguments: changes) func `the State of a snapshot`(_ old: String, _ new: String) throws {
    // Retention removes the entries up to the snapshot.
    try append(LogBatch((1...5).map { entry($0, $0 < 4 ? #""removed""# : #""opened""#) }))
    let stored = #"{"boardTitle":"Mine","changes":[\#(old)]}"#
    log.session(key).save(
      Snapshot(version: 3, state: Array(stored.utf8), schema: "first"), of: "epoch")
    let opened = #"{"opened":{"by":null}}"#
    #expect(
      try host().open("board", "demo").shown
        == #"5 {"title":"Mine","archive":[1],"changes":[\#(new),\#(opened),\#(opened)]}"#)
  }

  @Test func `parameters take missing members from the default parameters`() async throws {
    try await log.session(key).create(
      epoch: "epoch", parameters: Array(#"{"title":"Mine"}"#.utf8))
    #expect(
      try host().open("board", "demo").shown == #"0 {"title":"Mine 4","archive":[1],"changes":[]}"#)
  }

  @Test func `parameters are converted`() async throws {
    try await log.session(key).create(
      epoch: "epoch", parameters: Array(#"{"name":"Mine","seats":2}"#.utf8))
    #expect(
      try host(parameters: .renaming("name", to: "title")).open("board", "demo").shown
        == #"0 {"title":"Mine 2","archive":[1],"changes":[]}"#)
  }

  @Test func `a stored global takes missing members from the initial value, and is converted`()
    async throws
  {
    let value = SharedValue(
      epoch: "epoch", version: 1, revision: 5, json: Array(#"{"name":"Mine"}"#.utf8))
    try await log.share(value, as: "settings")
    let global = Global(
      "settings", Parameters(title: "Board", seats: 4), upgrade: .renaming("name", to: "title"))
    _ = Host([], globals: [global], log: log)
    #expect(global.value.title == "Mine" && global.value.seats == 4)
  }

  @Test(arguments: [
    (#"{"moved":{}}"#, #"at "/moved": Change.moved(to:) is missing and has no default for JSON"#),
    (#"{"put":{"labels":[]}}"#, #"at "/put": Card.id is missing and has no default for JSON"#),
    (#"{"unknown":1}"#, #"at "": "unknown" is not known here"#),
  ])
  func `a mutation that cannot be decoded is named for the operator`(
    _ old: String, _ reason: String
  ) async throws {
    try append(LogBatch([entry(1, old)]))
    let reactor = try #require(host().reactor("board"))
    let error = await #expect(throws: SessionError.self) {
      try await reactor.session("demo", for: .use)
    }
    guard case .log(.unreadable(1, let found)) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(found.hasPrefix(reason))
  }

  @Test func `a function converts only mutations that cannot be decoded`() throws {
    let registration = ReactorRegistration(
      "board", summary: "",
      upgradeMutation: { text in
        text == #"{"remind":{"id":7}}"# ? #"{"remind":{"card":7,"times":1}}"# : text
      },
      make: { BoardReactor(Parameters(title: "Board", seats: 4)) })
    try append(
      LogBatch([entry(1, #"{"remind":{"id":7}}"#), entry(2, #"{"named":{"title":"a"}}"#)]))
    #expect(
      try Host([registration], log: log).open("board", "demo").shown
        == "2 \(state(#"{"remind":{"card":7,"times":1}},{"named":{"name":"unnamed"}}"#))")
  }

  @Test func `a mistake in the defaults of a type is an error of the declaration`() {
    struct Mistaken: Codable, Sendable, DecodingDefaults {
      var size = 1
      static var decodingDefaults: MemberDefaults<Mistaken> {
        MemberDefaults("sise", of: Mistaken())
      }
    }
    final class MistakenReactor: Reactor {
      typealias Action = [Mistaken]
      typealias Mutation = [Mistaken]
      let initialState: [Mistaken] = []
    }
    #expect(
      ReactorRegistration("mistaken", summary: "") { MistakenReactor() }.declarationProblem
        == #"Mistaken.decodingDefaults names "sise", which is no member of the JSON; write one of: size."#
    )
    #expect(
      ReactorRegistration("board", summary: "") {
        BoardReactor(Parameters(title: "", seats: 1))
      }.declarationProblem == nil)
  }
}
