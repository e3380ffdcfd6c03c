import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Synchronization
import Testing

/// Sends between sessions, and the streams of their States.
struct SessionReferenceTests {
  private let log = MemoryLog()

  private func host(
    over log: (any MutationLog)? = nil, effects board: EffectBoard = EffectBoard(),
    adjust: (inout HostSettings) -> Void = { _ in }
  ) -> Host {
    var settings = HostSettings()
    // Longer than a stall of the machine: then, a send would end before the effect that it waits for.
    settings.sendWait = .seconds(600)
    adjust(&settings)
    return Host(
      [
        ReactorRegistration("relay", summary: "Sends") { RelayReactor($0, board: board) },
        ReactorRegistration("list", summary: "Receives") { _ in ListReactor(board: board) },
        ReactorRegistration("mirror", summary: "Follows") { MirrorReactor($0) },
      ], log: log ?? self.log, settings: settings)
  }

  private func list(_ words: String...) -> String {
    #"{"words":["# + words.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
  }

  // MARK: Sending

  @Test(arguments: ["effects", "commit", "accepted"])
  func `a send executes the action in the other session`(expectation: String) async throws {
    let host = host()
    let relay = try host.open("relay", "a")
    let outcome = try relay.send(#"{"send":{"words":["x"],"expecting":"\#(expectation)"}}"#)
    try await eventually { !outcome.values.isEmpty }
    let seen = expectation == "accepted" ? "" : #""1: x""#
    #expect(
      outcome.values == [#"committed 1 {"seen":[\#(seen)],"failures":[]}"#]
        || expectation == "accepted"
          && outcome.values == [#"committed 0 {"seen":[],"failures":[]}"#]
    )
    #expect(try host.open("list", "main").shown == "1 " + list("x"))
  }

  @Test func `a send waits while the store is unavailable, and is executed once`() async throws {
    let double = LogDouble(log)
    let host = host(over: double)
    let relay = try host.open("relay", "a")
    _ = try host.open("list", "main")
    double.set(.failingOf("list", .unavailable("The test says so.")))
    let outcome = try relay.send(#"{"send":{"words":["x"],"expecting":"effects"}}"#)
    try await eventually { double.appends.values.count >= 2 }
    #expect(outcome.values.isEmpty)
    double.set(.atOnce)
    try await eventually { !outcome.values.isEmpty }
    #expect(outcome.values == [#"committed 1 {"seen":["1: x"],"failures":[]}"#])
    #expect(try host.open("list", "main").shown == "1 " + list("x"))
  }

  @Test func `sends to one session arrive in their order`() async throws {
    let host = host()
    let relay = try host.open("relay", "a")
    let words = (0..<200).map { "w\($0)" }
    let outcome = try relay.send(
      #"{"merge":["# + words.map { "\"\($0)\"" }.joined(separator: ",") + "]}")
    try await eventually { !outcome.values.isEmpty }
    let main = try host.open("list", "main")
    let sent = try await main.entries(after: 0, limit: 1000).map(\.words)
    #expect(sent == words.enumerated().map { #"\#($0 + 1) {"add":"\#($1)"} "\#($1)""# })
  }

  @Test func `sends to a session in memory are batches of 50`() async throws {
    let double = LogDouble(log)
    let host = host(over: double)
    let main = try host.open("list", "main")
    let words = (0..<120).map { "w\($0)" }
    let outcome = try host.open("relay", "a").send(
      #"{"merge":["# + words.map { "\"\($0)\"" }.joined(separator: ",") + "]}")
    try await eventually { !outcome.values.isEmpty }
    #expect(double.batches.values.map(\.entries.count).filter { $0 > 0 } == [50, 50, 20])
    #expect(
      try await main.entries(after: 0, limit: 200).map {
        String(decoding: $0.mutation, as: UTF8.self)
      }
        == words.map { "\"\($0)\"" })
  }

  @Test func `each send of a batch has a response of its own`() async throws {
    let board = EffectBoard()
    let host = host(effects: board)
    let main = try host.open("list", "main")
    let relay = try host.open("relay", "a")
    let outcome = try relay.send(#"{"all":["x","hold:h","z"]}"#)
    try await eventually { relay.current.version == 2 }
    #expect(main.shown == "2 " + list("x", "z"))
    #expect(outcome.values.isEmpty)
    board["h"].onNext(.add(7))
    board["h"].onCompleted()
    try await eventually { !outcome.values.isEmpty }
    #expect(main.shown == "3 " + list("x", "z", "held"))
    #expect(relay.shown.hasPrefix("3 "))
  }

  @Test func `a batch of sends that runs again after a crash sends nothing twice`() async throws {
    do {
      let first = host()
      _ = try first.open("list", "main")
      try first.open("relay", "a").send(#"{"all":["x","hold:h","z"]}"#)
      try await eventually {
        try first.open("list", "main").shown == "2 " + self.list("x", "z")
      }
    }
    let board = EffectBoard()
    let second = host(effects: board)
    let main = try second.open("list", "main")
    try await eventually { main.activity.running == 1 }
    let relay = try second.open("relay", "a")
    board["h"].onNext(.add(7))
    board["h"].onCompleted()
    try await eventually { relay.activity.running == 0 && relay.shown.contains("3: held") }
    #expect(main.shown == "3 " + list("x", "z", "held"))
  }

  @Test func `sends to a busy session wait in its mailbox`() async throws {
    let host = host()
    let main = try host.open("list", "main")
    let relay = try host.open("relay", "a")
    let first = try relay.send(#"{"merge":["x"]}"#)
    try await eventually { !first.values.isEmpty }
    // The observer is called during a turn of the list, which is busy then.
    let reaction = CommitReaction { _ = try? relay.send(#"{"merge":["a","b","c"]}"#) }
    _ = main.observe(reaction)
    try main.send(#"{"add":"y"}"#)
    try await eventually { main.current.version == 5 }
    #expect(main.shown == "5 " + list("x", "y", "a", "b", "c"))
  }

  @Test func `sends of actions that the reactor creates arrive in order, after their commit`()
    async throws
  {
    let double = LogDouble(log)
    let ticks = PublishSubject<Int>()
    let host = Host(
      [
        ReactorRegistration("list", summary: "Receives") { _ in ListReactor(board: EffectBoard()) },
        ReactorRegistration("ticker", summary: "Sends") { TickingReactor($0, ticks) },
      ], log: double)
    let ticker = try host.open("ticker", "t")
    double.set(.held)
    ticks.onNext(0)
    for _ in 0..<100 { await Task.yield() }
    #expect(host.reactor("list")?.liveSession("main") == nil)
    double.set(.atOnce)
    double.releaseAll()
    for tick in 1..<300 { ticks.onNext(tick) }
    let main = try host.open("list", "main")
    try await eventually { main.current.version == 300 }
    let words = (0..<300).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(main.shown == #"300 {"words":[\#(words)]}"#)
    #expect(ticker.current.version == 300)
  }

  @Test func `a send waits for the commit of the turn that made it`() async throws {
    let double = LogDouble(log)
    let host = host(over: double)
    let relay = try host.open("relay", "a")
    double.set(.held)
    let outcome = try relay.send(#"{"send":{"words":["x"],"expecting":"effects"}}"#)
    #expect(host.reactor("list")?.liveSession("main") == nil)
    double.set(.atOnce)
    double.releaseAll()
    try await eventually { !outcome.values.isEmpty }
    #expect(try host.open("list", "main").shown == "1 " + list("x"))
  }

  @Test func `an effect that runs again after a crash sends nothing twice`() async throws {
    do {
      let first = host()
      let relay = try first.open("relay", "a")
      try relay.send(#"{"send":{"words":["x","hold:h","z"],"expecting":"effects"}}"#)
      try await eventually { try first.open("list", "main").shown == "1 " + self.list("x") }
    }
    let board = EffectBoard()
    let second = host(effects: board)
    await second.resumeInterruptedActions()
    try await eventually { second.reactor("list")?.liveSession("main") != nil }
    let main = try second.open("list", "main")
    try await eventually { main.activity.running == 1 }
    board["h"].onNext(.add(7))
    board["h"].onCompleted()
    let relay = try second.open("relay", "a")
    try await eventually { relay.current.version == 4 }
    #expect(main.shown == "3 " + list("x", "held", "z"))
  }

  @Test func `an effect that outlives its host is interrupted by its next send`() async throws {
    let board = EffectBoard()
    var first: Host? = host(effects: board)
    let relay = try #require(first).open("relay", "a")
    let main = try #require(first).open("list", "main")
    let outcome = try relay.send(#"{"send":{"words":["hold:h","z"],"expecting":"effects"}}"#)
    try await eventually { main.activity.running == 1 }
    first = nil
    board["h"].onNext(.add(7))
    board["h"].onCompleted()
    try await eventually { main.activity.running == 0 && relay.current.version == 1 }
    for _ in 0..<100 { await Task.yield() }
    #expect(outcome.values == [])
    let second = host()
    await second.resumeInterruptedActions()
    try await eventually { try second.open("list", "main").shown == "2 " + self.list("held", "z") }
  }

  @Test func `the responses of the sends before a crash are repeated to the effect`() async throws {
    do {
      let first = host()
      try first.open("relay", "a").send(
        #"{"send":{"words":["x","hold:h"],"expecting":"effects"}}"#)
      try await eventually { try first.open("list", "main").shown == "1 " + self.list("x") }
    }
    try host().open("list", "main").send(#"{"add":"y"}"#)
    let again = host()
    let relay = try again.open("relay", "a")
    try await eventually { relay.current.version >= 2 }
    #expect(relay.shown.contains(#""1: x""#))
  }

  @Test func `errors are those that a client would get`() async throws {
    let host = host(adjust: { $0.sessionCreation = .explicit })
    let relay = try host.open("relay", "a", for: .ensure)
    for (target, error) in [
      ("none/x", "404 No such reactor"), ("list/x", "404 No such session"),
      ("list/ended", "410 The session has ended"),
    ] {
      _ = try host.open("list", "ended", for: .ensure)
      try await host.reactor("list")?.endSession("ended")
      let outcome = try relay.send(#"{"sendTo":"\#(target)"}"#)
      try await eventually { !outcome.values.isEmpty }
      #expect(relay.shown.contains(error))
    }
    _ = try host.open("list", "main", for: .ensure)
    let invalid = try relay.send(#"{"sendTo":"list/main"}"#)
    try await eventually { !invalid.values.isEmpty }
    #expect(relay.shown.contains("422 Not an action of this reactor"))
  }

  @Test func `a chain of 33 sends ends with an error that reaches the first action`() async throws {
    let host = host()
    let outcome = try host.open("relay", "0").send(#"{"chain":40}"#)
    try await eventually { !outcome.values.isEmpty }
    #expect(outcome.values == ["failed SessionSendError"])
    // The load of session 32 can still be completing when the error arrives.
    try await eventually { host.reactor("relay")?.liveSession("32") != nil }
    #expect(host.reactor("relay")?.liveSession("33") == nil)
  }

  @Test func `sessions that wait for each other end by actions.wait`() async throws {
    let host = host(adjust: { $0.sendWait = .milliseconds(50) })
    let outcome = try host.open("relay", "a").send(#"{"pingPong":3}"#)
    try await eventually { !outcome.values.isEmpty }
    #expect(outcome.values.first?.hasPrefix("committed") == true)
  }

  @Test func `a cancelled effect drops its sends`() async throws {
    let double = LogDouble(log)
    let host = host(over: double)
    let relay = try host.open("relay", "a")
    double.set(.held)
    try relay.send(#"{"send":{"words":["x"],"expecting":"effects"}}"#)
    let id = try #require(try await relay.effects(after: nil, limit: 1).first?.id)
    let cancellation = Task.immediate { try await relay.cancelEffect(id) }
    double.set(.atOnce)
    double.releaseAll()
    try await cancellation.value
    try await eventually { relay.activity.running == 0 }
    #expect(try host.open("list", "main").shown == "0 " + list())
  }

  // MARK: States

  @Test func `the States of another session are merged like a global, once each`() async throws {
    let first = host()
    let mirror = try first.open("mirror", "m")
    try await eventually { mirror.current.version == 1 }
    let main = try first.open("list", "main")
    try main.send(#"{"add":"x"}"#)
    try await eventually { mirror.shown == #"2 {"words":["x"]}"# }
    let again = host()
    // The session is available when it has the State of the other one.
    let reloaded = try await #require(again.reactor("mirror")).session("m", for: .use).session
    try again.open("list", "main").send(#"{"add":"y"}"#)
    try await eventually { reloaded.shown == #"3 {"words":["x","y"]}"# }
    #expect(
      try await reloaded.entries(after: 0, limit: 9).allSatisfy { $0.global?.name == "list/main" })
  }

  @Test func `a follower of many commits receives the latest one`() async throws {
    let host = host()
    let mirror = try host.open("mirror", "m")
    let main = try host.open("list", "main")
    for index in 0..<500 { try main.send(#"{"add":"\#(index)"}"#) }
    try await eventually { mirror.current.json == main.current.json }
    #expect(mirror.current.version <= 501)
  }

  @Test func `the end of the other session ends the stream with an error`() async throws {
    let lines = Mutex<[String]>([])
    let host = Host(
      [
        ReactorRegistration("list", summary: "Receives") { _ in ListReactor(board: EffectBoard()) },
        ReactorRegistration("mirror", summary: "Follows") { context in
          MirrorReactor(context) { error in lines.withLock { $0.append("\(error)") } }
        },
      ])
    let mirror = try host.open("mirror", "m")
    try await eventually { mirror.current.version == 1 }
    try await host.reactor("list")?.endSession("main")
    try await eventually { lines.withLock { $0.contains("ended(list/main)") } }
  }

  // MARK: Typed references

  @Test func `a typed reference to a reactor that is not hosted is found at the start`() {
    #expect(host().firstMissingReference() == nil)
    let lonely = Host([ReactorRegistration("mirror", summary: "Follows") { MirrorReactor($0) }])
    #expect(
      lonely.firstMissingReference()
        == #"the reactor "mirror" refers to "list", which is not hosted"#)
    let wrong = Host([
      ReactorRegistration("mirror", summary: "Follows") { MirrorReactor($0) },
      ReactorRegistration("list", summary: "Not a list") { MirrorReactor($0) },
    ])
    #expect(wrong.firstMissingReference()?.contains("refers to \"list\" as ListReactor") == true)
  }
}

/// Reacts to the first commit of a session.
private final class CommitReaction: SessionObserver {
  private let react: Mutex<(@Sendable () -> Void)?>

  init(_ react: @escaping @Sendable () -> Void) {
    self.react = Mutex(react)
  }

  func sessionDidCommit(_ state: CommittedState) {
    react.withLock { $0.take() }?()
  }

  func sessionDidEnd(_ end: SessionEnd) {}
}

/// Sends an action for each element of a stream, in actions of its own.
private final class TickingReactor: Reactor {
  typealias Action = Int
  typealias Mutation = Int

  let initialState = 0
  private let ticks: Observable<Int>
  private let list: NamedSessionReference

  init(_ context: SessionContext<NoParameters>, _ ticks: PublishSubject<Int>) {
    self.ticks = ticks.asObservable()
    list = context.session(named: "list", "main")
  }

  func transform(action: Observable<Int>) -> Observable<Int> {
    .merge(action, ticks)
  }

  func mutate(action: Int) -> Observable<Int> {
    .concat(.just(action), list.sendOnly(#"{"add":"\#(action)"}"#))
  }

  func reduce(state: Int, mutation: Int) -> Int { mutation }
}
