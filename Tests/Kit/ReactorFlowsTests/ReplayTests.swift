import LogTestSupport
import ReactorCoding
import ReactorFlows
import ReactorHost
import ReactorStreams
import Testing

/// Flows in the log: interrupted steps, replay, restarts and past versions.
struct ReplayTests {
  @Test(arguments: Store.allCases)
  func `replaying the log calls neither follow nor coordinate, and yields the same State`(
    store: Store
  ) async throws {
    let trip = try Trip(store)
    try await trip.send(
      .run(.present("a", onDismissed: .note("a left"))), .run(.child(onDismissed: .note("left"))))
    try await trip.send(json: TripFlow.Action.note("2", #"{"write":"x!"}"#))
    try await trip.send(json: #"{"stack":{"send":{"to":"3","action":{"side":"present"}}}}"#)
    try await trip.send(.dismiss("3"))
    let expected = try await trip.session().current
    for _ in 1...2 {
      trip.board.calls.removeAll()
      trip.restart()
      let current = try await trip.session().current
      #expect(current.json == expected.json)
      #expect(current.version == expected.version)
      #expect(trip.board.calls.values.allSatisfy { $0 == "reduce" })
    }
    // The screen continues after the restart.
    #expect(
      try await trip.send(json: TripFlow.Action.note("2", #"{"write":"y"}"#))
        == "1 home 2 note(a)x!x! followedy +left")
    #expect(try await trip.send(.dismiss("2")) == "1 home +left +a left")
  }

  @Test(arguments: Store.allCases)
  func `a dismissal that was committed before the crash of its step is not repeated`(
    store: Store
  ) async throws {
    let trip = try Trip(store)
    try await trip.send(.run(.present("a", onDismissed: .later(.note("x")))))
    #expect(try await trip.send(.dismiss("2")) == "1 home")
    let before = try await trip.mutations()
    trip.restart(with: TripBoard())
    #expect(try await trip.screens() == "1 home")
    #expect(try await trip.session().activity.running == 0)
    #expect(!trip.board.calls.values.contains("coordinate"))
    trip.board.texts.onNext("y")
    #expect(try await trip.mutations() == before)
  }

  @Test(arguments: Store.allCases)
  func `a step that was interrupted by a crash is executed again from its beginning`(
    store: Store
  ) async throws {
    let trip = try Trip(store)
    try await trip.send(.run(.later(.note("x"))))
    #expect(trip.board.calls.values == ["coordinate"])
    trip.restart(with: TripBoard())
    #expect(try await trip.session().activity.running == 1)
    #expect(trip.board.calls.values == ["coordinate"])
    trip.board.texts.onNext("y")
    try await trip.send(.run(.note("z")))
    let notes = try await trip.state().notes
    #expect(notes.count == 2 && notes[0].hasPrefix("y ") && notes[1] == "z")
  }

  @Test func `currentState in reduce of a screen is its previous State, live and in folds`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(.open("/notes/a"), .open("/notes/a/notes/b"))
    let count = TripFlow.Action.note("3", #""count""#)
    #expect(try await trip.send(json: count) == "1 home 2 note(a) 3 note(b)<0><1>")
    #expect(
      try await trip.send(json: TripFlow.Action.note("2", #""count""#))
        == "1 home 2 note(a)<0><1> 3 note(b)<0><1>")
    let shown = "1 home 2 note(a)<0><1> 3 note(b)<0><1><2><3>"
    #expect(try await trip.send(json: count) == shown)
    trip.restart()
    #expect(try await trip.screens() == shown)
  }

  @Test func `a past version has the screens of its time`() async throws {
    let trip = try Trip()
    try await trip.send(.open("/notes/a"), .open("/notes/b"))
    let past = try await trip.session().state(at: 1)
    let state = try JSONCoder.decode(TripFlow.State.self, from: past.json)
    #expect(state.stack.path == "/notes/a")
  }

  @Test func `10,000 presentations and dismissals leave a State of the same size`() throws {
    let flow = TripFlow(TripBoard())
    var state = flow.initialState
    let size = try JSONCoder.encode(state).count
    func apply(_ json: String) throws {
      let mutation = try JSONCoder.decode(TripFlow.Mutation.self, from: Array(json.utf8))
      state = flow.reduce(state: state, mutation: mutation)
    }
    for id in 2...10_001 {
      try apply(
        #"{"stack":{"present":{"id":"\#(id)","screen":"note","presentation":"push","#
          + #""animated":true,"onDismissed":null,"state":{"name":"a","texts":[]}}}}"#)
      try apply(
        #"{"stack":{"dismiss":{"entries":[{"id":"\#(id)","onDismissed":null}],"animated":true}}}"#)
    }
    #expect(state.stack.entries.map(\.id) == ["1"])
    #expect(try JSONCoder.encode(state).count == size + 4)  // the digits of `presented`
  }
}
