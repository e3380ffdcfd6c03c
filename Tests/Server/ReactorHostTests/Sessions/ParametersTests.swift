import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// The parameters of sessions.
struct ParametersTests {
  struct Room: Codable, Sendable {
    var title: String
    var seats: Int?
  }

  final class RoomReactor: Reactor {
    typealias Action = String
    typealias Mutation = String

    struct State: Codable, Sendable {
      var title: String
      var words: [String] = []
    }

    let initialState: State

    init(_ room: Room) { initialState = State(title: room.title) }

    func mutate(action: String) -> Observable<String> { .just(action) }

    func reduce(state: State, mutation: String) -> State {
      var state = state
      state.words.append(mutation)
      return state
    }
  }

  private let log = MemoryLog()

  private func host(
    default defaults: Room? = nil, _ adjust: (inout HostSettings) -> Void = { _ in }
  ) -> Host {
    var settings = HostSettings()
    adjust(&settings)
    return Host(
      [
        ReactorRegistration(
          "room", summary: "A room", parameters: Room.self, defaultParameters: defaults,
          exampleParameters: Room(title: "Example")
        ) { RoomReactor($0.parameters) }
      ], log: log, settings: settings)
  }

  private func open(
    _ host: Host, _ id: String, for intent: SessionIntent = .use, _ parameters: String? = nil
  ) throws -> Result<any Session, SessionError> {
    let reactor = try #require(host.reactor("room"))
    let json = try parameters.map { try reactor.normalize(parameters: Array($0.utf8)) }
    let results = Recorder<Result<any Session, SessionError>>()
    results.add { try await reactor.session(id, for: intent, parameters: json).session }
    return try #require(results.values.first)
  }

  @Test func `a session has its parameters from its creation on, in each life`() async throws {
    let session = try open(host(), "a", for: .create, #"{"title":"A"}"#).get()
    try session.send(#""x""#)
    #expect(session.shown == #"1 {"title":"A","words":["x"]}"#)
    let again = try open(host(), "a").get()
    #expect(again.shown == #"1 {"title":"A","words":["x"]}"#)
    #expect(try await again.state(at: 0).words == #"0 {"title":"A","words":[]}"#)
    #expect(
      again.parameters.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"A","seats":null}"#
    )
    #expect(try host().reactor("room")?.refold("a").findings == [])
  }

  @Test
  func `parameters that differ in the order of a set only are the same, also in a former store`()
    async throws
  {
    struct Tags: Codable, Sendable { var tags: Set<String> }
    let host = Host(
      [
        ReactorRegistration("tagged", summary: "A set", parameters: Tags.self) { context in
          RoomReactor(Room(title: context.parameters.tags.sorted().joined()))
        }
      ], log: log, settings: HostSettings())
    try await log.session(SessionKey(reactor: "tagged", id: "a"))
      .create(epoch: "e", parameters: Array(#"{"tags":["c","a","b"]}"#.utf8))
    let reactor = try #require(host.reactor("tagged"))
    for (text, isSame) in [
      (#"["a","b","c"]"#, true), (#"["b","c","a"]"#, true), (#"["a","b"]"#, false),
    ] {
      let results = Recorder<Result<OpenedSession, SessionError>>()
      let json = try reactor.normalize(parameters: Array(#"{"tags":\#(text)}"#.utf8))
      results.add { try await reactor.session("a", for: .ensure, parameters: json) }
      let result = try #require(results.values.first)
      #expect(result.map(\.session).failure == (isSame ? nil : .otherParameters))
    }
  }

  @Test func `a session whose reactor requires parameters is not created without`() throws {
    for intent in [SessionIntent.use, .ensure, .create] {
      #expect(try open(host(), "a", for: intent).failure == .needsParameters)
    }
    #expect(try log.session(SessionKey(reactor: "room", id: "a")).record() == .none)
  }

  @Test func `an implicit session has the default, also when a later release has another one`()
    throws
  {
    let session = try open(host(default: Room(title: "One")), "a").get()
    try session.send(#""x""#)
    let again = try open(host(default: Room(title: "Two")), "a").get()
    #expect(again.shown == #"1 {"title":"One","words":["x"]}"#)
    #expect(try open(host(), "a").get().shown == again.shown)
  }

  @Test func `a session that was stored before there were parameters has the default`() async throws
  {
    try await log.session(SessionKey(reactor: "room", id: "a")).create(epoch: "e", parameters: nil)
    #expect(
      try open(host(default: Room(title: "One")), "a").get().shown
        == #"0 {"title":"One","words":[]}"#)
    guard case .log(.unreadable)? = try open(host(), "a").failure else {
      Issue.record("It was opened without parameters.")
      return
    }
  }

  @Test func `parameters never change`() throws {
    let host = host()
    _ = try open(host, "a", for: .ensure, #"{"title":"A"}"#).get()
    _ = try open(host, "a", for: .ensure, #"{ "title" : "A" }"#).get()
    _ = try open(host, "a", for: .ensure).get()
    #expect(try open(host, "a", for: .ensure, #"{"title":"B"}"#).failure == .otherParameters)
    let again = self.host()
    #expect(try open(again, "a", for: .ensure, #"{"title":"B"}"#).failure == .otherParameters)
  }

  @Test func `a new session under the id of an ended one has parameters of its own`() async throws {
    let host = host()
    _ = try open(host, "a", for: .create, #"{"title":"A"}"#).get()
    try await host.reactor("room")?.endSession("a")
    #expect(try open(host, "a", for: .ensure).failure == .needsParameters)
    let again = try open(host, "a", for: .create, #"{"title":"B"}"#).get()
    #expect(again.shown == #"0 {"title":"B","words":[]}"#)
  }

  @Test func `a fork inherits the parameters, or is folded with its own`() async throws {
    let host = host { $0.snapshotInterval = 2 }
    let session = try open(host, "a", for: .create, #"{"title":"A"}"#).get()
    for _ in 0..<5 { try session.send(#""x""#) }
    let reactor = try #require(host.reactor("room"))
    let same = try await reactor.fork("a", at: 3, to: "same").session
    #expect(same.shown == #"3 {"title":"A","words":["x","x","x"]}"#)
    let parameters = try reactor.normalize(parameters: Array(#"{"title":"B"}"#.utf8))
    let other = try await reactor.fork("a", at: 3, to: "other", parameters: parameters).session
    #expect(other.shown == #"3 {"title":"B","words":["x","x","x"]}"#)
    #expect(try reactor.refold("other").findings == [])
  }

  @Test(arguments: [
    (#"{}"#, ""), (#"{"title":1}"#, "/title"), (#"{"title":"A","seats":"x"}"#, "/seats"),
    ("[]", ""),
  ])
  func `the error of invalid parameters names the wrong value`(json: String, pointer: String) throws
  {
    let reactor = try #require(host().reactor("room"))
    let error = #expect(throws: ActionDecodingError.self) {
      try reactor.normalize(parameters: Array(json.utf8))
    }
    guard case .invalid(let found, _, _)? = error else {
      Issue.record("It is malformed.")
      return
    }
    #expect(found == pointer)
  }

  @Test func `a reactor without parameters takes none`() throws {
    let reactor = try Stage().reactor()
    #expect(throws: ActionDecodingError.self) {
      try reactor.normalize(parameters: Array("{}".utf8))
    }
    #expect(reactor.description.parameters == nil)
  }

  @Test func `the catalogue has the schema, the default and the example`() throws {
    let description = try #require(host(default: Room(title: "D")).reactor("room")).description
    let parameters = try #require(description.parameters)
    #expect(String(decoding: parameters.schema, as: UTF8.self).contains(#""title""#))
    #expect(parameters.default == Array(#"{"title":"D","seats":null}"#.utf8))
    #expect(parameters.example == Array(#"{"title":"Example","seats":null}"#.utf8))
    #expect(
      description.initialState == Array(#"{"title":"Example","words":[]}"#.utf8))
  }
}
