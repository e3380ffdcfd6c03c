import ReactorCoding
import ReactorCore
import ReactorFlows
import ReactorHost
import ReactorTesting
import Testing

/// The behaviour of screens, steps and dismissals.
struct NavigationTests {
  private typealias Action = TripFlow.Action

  @Test func `mutate, reduce, follow and coordinate are called in this order, in one turn`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    trip.board.calls.removeAll()
    let version = try await trip.version()
    let result = try await trip.send(json: Action.note("2", #"{"report":{"note":"x"}}"#))
    #expect(result == "1 home 2 note(a)report followed +x")
    #expect(
      trip.board.calls.values == [
        "mutate", "reduce", "follow", "reduce", "follow", "coordinate",
      ])
    #expect(try await trip.version() == version + 3)
  }

  @Test(arguments: Store.allCases)
  func `the response has the screen that a step presents`(store: Store) async throws {
    let trip = try Trip(store)
    let result = try await trip.send(
      json:
        #"{"stack":{"send":{"to":"1","action":{"home":{"run":{"present":{"_0":"a","animated":true}}}}}}}"#
    )
    #expect(result == "1 home 2 note(a)")
    #expect(try await trip.state().stack.path == "/notes/a")
  }

  @Test func `a dismissal removes all screens above, cancels, and coordinates from the top`()
    async throws
  {
    let trip = try Trip()
    for name in ["a", "b", "c"] {
      try await trip.send(.run(.present(name, onDismissed: .all([.note(name), .noteChildren]))))
    }
    for id in ["2", "3", "4"] { try await trip.send(json: Action.note(id, #""hold""#)) }
    #expect(try await trip.session().activity.running == 3)
    let result = try await trip.send(.dismiss("3"))
    #expect(result == "1 home 2 note(a) +c +[] +b +[]")
    #expect(try await trip.session().activity.running == 1)
  }

  @Test(arguments: ["action", "step", "open", "replace"])
  func `onDismissed is coordinated once, whatever dismisses`(cause: String) async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a", onDismissed: .note("left"))))
    let version = try await trip.version()
    switch cause {
    case "action": try await trip.send(.dismiss("2"), .dismiss("2"))
    case "step":
      try await trip.send(.run(.all([.dismiss(animated: false), .dismiss(animated: true)])))
    case "open": try await trip.send(.open("/notes/b"), .open("/"))
    default: try await trip.send(.run(.replace("b")))
    }
    #expect(try await trip.state().notes == ["left"])
    if cause == "step" {
      let first = try await trip.mutations(after: version).first
      #expect(first?.contains(#""animated":false"#) == true)
    }
  }

  @Test(
    arguments: [
      (.replace("b"), "2 note(b)"), (.pop, "1 home"), (.open("/notes/b"), "1 home 2 note(b)"),
      (.dismissFrom("2"), "1 home"), (.dismiss(animated: true), "1 home"),
      (.present("b"), "1 home 2 note(b)"), (.noteChildren, "1 home +[]"),
      (.write("x", to: "7"), "409 The screen is gone"),
    ] as [(TripFlow.Step, String)])
  func `each function of the router is the first use of a new instance`(
    step: TripFlow.Step, result: String
  ) async throws {
    let trip = try Trip()
    #expect(try await trip.send(.run(step)) == result)
  }

  @Test(
    arguments: [
      (.replace("b"), "1 home 3 note(b)"), (.pop, "1 home"),
      (.open("/notes/b"), "1 home 3 note(b)"), (.dismissFrom("2"), "1 home"),
      (.dismiss(animated: true), "1 home"), (.present("b"), "1 home 2 note(a) 3 note(b)"),
      (.all([.pop, .present("c")]), "1 home 3 note(c)"),
    ] as [(TripFlow.Step, String)], Store.allCases)
  func `each function of the router is the first use of an instance after a restart`(
    example: (step: TripFlow.Step, result: String), store: Store
  ) async throws {
    let trip = try Trip(store)
    try await trip.send(.run(.present("a")))
    trip.restart()
    #expect(try await trip.send(.run(example.step)) == example.result)
  }

  @Test func `the router of a child flow is used first, in a new instance and after a restart`()
    async throws
  {
    let trip = try Trip()
    let pop = #"{"stack":{"send":{"to":"2","action":{"side":"pop"}}}}"#
    try await trip.send(.run(.child()))
    try await trip.send(json: pop)
    #expect(try await trip.state().stack.entries.count == 2)
    try await trip.send(json: #"{"stack":{"send":{"to":"2","action":{"side":"present"}}}}"#)
    trip.restart()
    try await trip.send(json: pop)
    let side = try await trip.state().stack.entries[1].state(of: SideFlow.self)
    #expect(side?.stack.entries.map(\.id) == ["1", "2"])
    #expect(side?.left == 1)
  }

  @Test func `a dismissal of a screen that is not presented has no effect`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")), .dismiss("2"))
    let version = try await trip.version()
    #expect(try await trip.send(.dismiss("2")) == "1 home")
    #expect(try await trip.send(.dismiss("never")) == "1 home")
    #expect(try await trip.version() == version)
  }

  @Test func `the first screen stays`() async throws {
    let trip = try Trip()
    #expect(try await trip.send(.dismiss("1")) == "409 The first screen stays")
    #expect(try await trip.send(.run(.dismissFrom("1"))) == "409 The first screen stays")
    #expect(try await trip.version() == 0)
  }

  @Test func `a screen that does not allow its dismissal stays, with those below it`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(
      .run(.present("a")), .run(.present("locked")), .run(.present("c")))
    let version = try await trip.version()
    for action in [Action.dismiss("2"), .dismiss("3"), .open("/notes/a"), .open("/")] {
      #expect(try await trip.send(action) == "409 The screen cannot be left now")
    }
    #expect(try await trip.version() == version)
    #expect(try await trip.send(.dismiss("4")) == "1 home 2 note(a) 3 note(locked)")
    // The flow itself may dismiss the locked screen.
    #expect(try await trip.send(.run(.dismiss(animated: true))) == "1 home")
  }

  @Test func `a step of a dismissal dismisses again, and no step is coordinated twice`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(
      .run(.present("a", onDismissed: .all([.note("a"), .dismiss(animated: true)]))),
      .run(.present("b", onDismissed: .all([.note("b"), .dismiss(animated: true)]))),
      .run(.present("c", onDismissed: .all([.note("c"), .dismiss(animated: true)]))))
    #expect(try await trip.send(.dismiss("4")) == "1 home +c +b +a")
    #expect(try await trip.send(.dismiss("3")) == "1 home +c +b +a")
  }

  @Test func `a child flow is dismissed with its screens, whose steps are not coordinated`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(.run(.child(onDismissed: .note("left"))))
    let inside = #"{"stack":{"send":{"to":"2","action":{"side":"present"}}}}"#
    try await trip.send(json: inside)
    let hold =
      #"{"stack":{"send":{"to":"2","action":{"side":{"stack":{"send":{"to":"3","#
      + #""action":{"note":"hold"}}}}}}}}"#
    try await trip.send(json: hold)
    #expect(try await trip.session().activity.running == 1)
    let side = try await trip.state().stack.top?.state(of: SideFlow.self)
    #expect(side?.stack.entries.map(\.id) == ["1", "2", "3"])
    let version = try await trip.version()
    #expect(try await trip.send(.dismiss("2")) == "1 home +left")
    #expect(try await trip.mutations(after: version).count == 2)
    #expect(try await trip.session().activity.running == 0)
  }

  @Test func `a child flow dismisses its own screens and reports to its parent`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.child()))
    try await trip.send(json: #"{"stack":{"send":{"to":"2","action":{"side":"present"}}}}"#)
    try await trip.send(
      json: #"{"stack":{"send":{"to":"2","action":{"side":{"stack":{"dismiss":"2"}}}}}}"#)
    let side = try await trip.state().stack.top?.state(of: SideFlow.self)
    #expect(side?.stack.entries.map(\.id) == ["1"])
    #expect(side?.left == 2)
    let report =
      #"{"stack":{"send":{"to":"2","action":{"side":{"stack":{"send":{"to":"1","action":"#
      + #"{"note":{"report":{"all":[{"note":"x"},{"dismiss":{"animated":true}}]}}}}}}}}}}"#
    #expect(try await trip.send(json: report) == "1 home +x")
  }

  @Test func `a screen that was removed emits nothing`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    try await trip.send(json: Action.note("2", #""hold""#))
    trip.board.texts.onNext("1")
    #expect(try await trip.screens() == "1 home 2 note(a)1")
    try await trip.send(.dismiss("2"))
    let version = try await trip.version()
    trip.board.texts.onNext("2")
    #expect(try await trip.version() == version)
    #expect(
      try await trip.send(json: Action.note("2", #"{"write":"x"}"#)) == "409 The screen is gone")
  }

  @Test func `a screen that reports its end emits nothing after it`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    let result = try await trip.send(
      json: Action.note(
        "2", #"{"writeAndReport":{"_0":"late","_1":{"dismiss":{"animated":true}}}}"#))
    #expect(result == "1 home")
    #expect(try await trip.mutations().contains { $0.contains("late") } == false)
  }

  @Test func `a screen below the top executes its actions`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")), .run(.present("b")))
    #expect(
      try await trip.send(json: Action.note("2", #"{"write":"x!"}"#))
        == "1 home 2 note(a)x!x! followed 3 note(b)")
  }

  @Test func `open retains the common part of the path`() async throws {
    let trip = try Trip()
    #expect(
      try await trip.send(.open("/notes/a/notes/b/help")) == "1 home 2 note(a) 3 note(b) 4 help")
    #expect(try await trip.state().stack.path == "/notes/a/notes/b/help")
    #expect(
      try await trip.send(.open("/notes/a/notes/%C3%A4%2F/help"))
        == "1 home 2 note(a) 5 note(ä/) 6 help")
    #expect(try await trip.state().stack.path == "/notes/a/notes/%C3%A4%2F/help")
    #expect(try await trip.state().stack.entries.dropFirst().allSatisfy { !$0.animated })
    let version = try await trip.version()
    #expect(try await trip.send(.open("/notes/a/notes/%C3%A4%2F/help")).hasSuffix("6 help"))
    #expect(try await trip.version() == version)
    #expect(try await trip.send(.open("/")) == "1 home")
  }

  @Test(arguments: [
    "", "notes/a", "/unknown", "/notes", "/notes/a/", "//", "/help/x", "/notes/%", "/notes/%zz",
    "/notes/%ff", "/" + String(repeating: "a", count: 2048),
    String(repeating: "/help", count: 65),
  ])
  func `an unknown path is not found, and has no effect`(path: String) async throws {
    let trip = try Trip()
    try await trip.send(.open("/notes/a"))
    let version = try await trip.version()
    #expect(try await trip.send(.open(path)) == "404 No such place")
    #expect(try await trip.version() == version)
  }

  @Test func `a path is null while a screen has no link`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")), .run(.child()))
    #expect(try await trip.state().stack.path == nil)
    #expect(try await trip.send(.open("/notes/a")) == "1 home 2 note(a)")
  }

  @Test func `a cancellation id belongs to one screen`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")), .run(.present("b")))
    for id in ["2", "3"] { try await trip.send(json: Action.note(id, #""search""#)) }
    try await trip.send(json: Action.note("2", #""cancelSearch""#))
    trip.board.texts.onNext("x")
    #expect(try await trip.screens() == "1 home 2 note(a) 3 note(b)x")
  }

  @Test func `at most 32 screens are presented`() async throws {
    let trip = try Trip()
    for number in 2...32 { try await trip.send(.run(.present("\(number)"))) }
    let version = try await trip.version()
    #expect(try await trip.send(.run(.present("33"))) == "409 Too many screens")
    #expect(try await trip.version() == version)
    let path = String(repeating: "/help", count: 32)
    #expect(try await trip.send(.open(path)) == "409 Too many screens")
    #expect(try await trip.send(.run(.replace("33"))).hasSuffix("33 note(33)"))
  }

  @Test func `children grow and shrink with the stack, before the step is coordinated`()
    async throws
  {
    let trip = try Trip()
    try await trip.send(.run(.child(onDismissed: .noteChildren)), .run(.noteChildren))
    #expect(try await trip.send(.dismiss("2")) == #"1 home +["2"] +[]"#)
  }

  @Test func `an error of a screen is the response, and its onError is called`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    trip.board.calls.removeAll()
    #expect(try await trip.send(json: Action.note("2", #""fail""#)) == "failed Mishap")
    #expect(trip.board.calls.values == ["mutate", "onError Mishap()"])
  }

  @Test func `a flow sends actions to its screens`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    #expect(try await trip.send(.run(.write("x", to: "2"))) == "1 home 2 note(a)x")
    #expect(try await trip.send(.run(.write("x", to: "9"))) == "409 The screen is gone")
    #expect(try await trip.send(.run(.write("x", to: "1"))) == "failed RouterMisuse")
  }

  @Test func `an action for a screen is written in Swift`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")), .run(.child()))
    #expect(
      try await trip.send(.stack(.send(.write("x"), to: "2", of: NoteReactor.self)))
        == "1 home 2 note(a)x 3 side")
    let inside = StackAction<SideFlow>.send(.hold, to: "1", of: NoteReactor.self)
    let json = try JSONCoder.encode(
      Action.stack(.send(.stack(inside), to: "3", of: SideFlow.self)))
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"stack":{"send":{"to":"3","action":{"side":{"stack":{"send":{"to":"1","#
        + #""action":{"note":"hold"}}}}}}}}"#)
    #expect(
      try await trip.send(.stack(.send(.nothing, to: "2", of: HelpReactor.self)))
        == "422 The action is for another screen")
    let flow = TripFlow(trip.board)
    flow.action.onNext(.stack(.send(.none, to: "1", of: StrangeReactor.self)))
    #expect(flow.currentState == TripFlow.State())
  }

  /// A reactor that is no screen of the flow.
  private final class StrangeReactor: Reactor {
    enum Action: Codable, Sendable { case none }
    typealias Mutation = Action
    struct State: Codable {}
    let initialState = State()
  }

  @Test func `a screen that schedules a timer is rejected, with the way to do it`() async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    #expect(
      try await trip.send(json: Action.note("2", #""schedule""#))
        == "422 The timer cannot be scheduled")
  }

  @Test func `the flow schedules an action for a screen`() async {
    func state(after actions: Action...) -> TripFlow.State {
      let flow = TripFlow(TripBoard())
      for action in actions { flow.action.onNext(action) }
      return flow.currentState
    }
    let write = Action.stack(.send(.write("x"), to: "2", of: NoteReactor.self))
    let test = ReactorTest(TripFlow(TripBoard()))
    await test.send(.open("/notes/a")) { $0 = state(after: .open("/notes/a")) }
    await test.send(.run(.schedule(write: "x", to: "2")))
    test.advance(by: .seconds(1))
    await test.receive { $0 = state(after: .open("/notes/a"), write) }
    await test.finish()
  }

  @Test func `one coordination presents several screens, each with an id of its own`() async throws
  {
    let trip = try Trip()
    #expect(
      try await trip.send(.run(.all([.present("a"), .present("b"), .pop, .present("c")])))
        == "1 home 2 note(a) 4 note(c)")
  }
}
