import ReactorCore
import ReactorSessions
import ReactorStreams
import Synchronization
import Testing

/// The list of auctions; lists after an effect if its name begins with `slow`.
private final class LobbyReactor: Reactor {
  enum Action: Codable { case list(String), reject }
  enum Mutation { case listed(String, by: ActionOrigin) }
  struct State: Codable, Equatable {
    var names: [String] = []
    var origins: [ActionOrigin] = []
  }
  struct Rejection: Error, Equatable {}

  let initialState = State()
  let gate = PublishSubject<Void>()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .reject: return .error(Rejection())
    case .list(let name):
      let mutation = Mutation.listed(name, by: .current)
      guard name.hasPrefix("slow") else { return .just(mutation) }
      return gate.asObservable().take(1).map { mutation }
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .listed(let name, let origin):
      state.names.append(name)
      state.origins.append(origin)
    }
    return state
  }
}

/// An auction as it would be hosted: it knows its context only.
private final class AuctionReactor: Reactor {
  enum Action: Codable { case open, openSilently, fail, setPresence(Presence) }
  enum Mutation { case opened([String]), silent, seen(Int), lobby(Int), failed(String) }
  struct State: Codable, Equatable {
    var id: String
    var lobby: [String] = []
    var lobbyCount = 0
    var visitors = 0
    var steps: [String] = []
  }

  let initialState: State
  private let context: SessionContext<NoParameters>
  private let lobby: SessionReference<LobbyReactor>

  init(_ context: SessionContext<NoParameters>) {
    self.context = context
    lobby = context.session(LobbyReactor.self, "lobby", "main")
    initialState = State(id: context.session.id)
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .open: lobby.send(.list(context.session.id)).map { .opened($0.names) }
    case .openSilently: .concat(lobby.sendOnly(.list(context.session.id)), .just(.silent))
    case .fail: lobby.send(.reject).map { _ in .silent }.catch { .just(.failed("\($0)")) }
    case .setPresence(let presence): .just(.seen(presence.count))
    }
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    .merge(action, context.subscribers.map(Action.setPresence))
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, lobby.state.map { .lobby($0.names.count) })
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .opened(let names): state.lobby = names
    case .silent: state.steps.append("silent")
    case .failed(let error): state.steps.append(error)
    case .seen(let count): state.visitors = count
    case .lobby(let count): state.lobbyCount = count
    }
    return state
  }
}

struct LocalSessionsTests {
  private let sessions = LocalSessions()
  private let lobby = LobbyReactor()

  private func auction(_ id: String = "lamp") -> AuctionReactor {
    sessions.add(lobby, as: "lobby", "main")
    let auction = AuctionReactor(sessions.context("auction", id))
    sessions.add(auction, as: "auction", id)
    return auction
  }

  @Test func `a send is executed by the other reactor, which knows its sender`() {
    let auction = auction()
    auction.action.onNext(.open)
    #expect(auction.currentState.lobby == ["lamp"])
    #expect(auction.currentState.id == "lamp")
    #expect(lobby.currentState.origins == [.session(reactor: "auction", id: "lamp")])
  }

  @Test func `the State of the other session arrives, now and after each change`() {
    let auction = auction()
    #expect(auction.currentState.lobbyCount == 0)
    lobby.action.onNext(.list("a"))
    lobby.action.onNext(.list("b"))
    #expect(auction.currentState.lobbyCount == 2)
  }

  @Test func `a send waits for the effects of its action, and a send without a State does not`() {
    let auction = auction("slow")
    auction.action.onNext(.openSilently)
    #expect(auction.currentState.steps == ["silent"])
    #expect(lobby.currentState.names.isEmpty)
    auction.action.onNext(.open)
    #expect(auction.currentState.lobby.isEmpty)
    lobby.gate.onNext(())
    #expect(auction.currentState.lobby == ["slow", "slow"])
  }

  @Test func `the error of an action fails the send`() {
    let auction = auction()
    auction.action.onNext(.fail)
    #expect(auction.currentState.steps == ["Rejection()"])
  }

  @Test func `subscribers are those that the app sets`() {
    let auction = auction()
    sessions.set(subscribers: Presence([.init(name: "ada", streams: 2)]), of: "auction", "lamp")
    #expect(auction.currentState.visitors == 2)
  }

  @Test
  func `sessions that do not exist, other texts than actions, and removed sessions are errors`() {
    sessions.add(lobby, as: "lobby", "main")
    let context = sessions.context("test", "a")
    func result(_ stream: Observable<String>) -> [String] {
      let events = Mutex<[String]>([])
      _ = stream.subscribe(
        onNext: { value in events.withLock { $0.append(value) } },
        onError: { error in events.withLock { $0.append("\(error)") } })
      return events.withLock { $0 }
    }
    func send(_ name: String, _ id: String, _ action: String) -> [String] {
      result(context.session(named: name, id).send(action))
    }
    #expect(send("lobby", "main", #"{"list":"a"}"#).count == 1)
    #expect(send("lobby", "main", #"[{"list":"b"},{"list":"c"}]"#).count == 1)
    #expect(lobby.currentState.names == ["a", "b", "c"])
    let main = SessionKey(reactor: "lobby", id: "main")
    #expect(send("lobby", "main", "{").first?.contains("invalidAction") == true)
    #expect(send("hall", "main", "1") == ["unknownReactor(hall/main)"])
    #expect(send("lobby", "other", "1") == ["unknownSession(lobby/other)"])
    #expect(send("lobby", "..", "1") == ["invalidID(lobby/..)"])

    let states = Mutex<[String]>([])
    let subscription = context.session(named: "lobby", "main").state.subscribe(
      onNext: { _ in states.withLock { $0.append("state") } },
      onError: { error in states.withLock { $0.append("\(error)") } })
    sessions.remove("lobby", "main")
    #expect(states.withLock { $0 } == ["state", "\(SessionSendError.ended(main))"])
    #expect(send("lobby", "main", #"{"list":"d"}"#) == ["unknownReactor(lobby/main)"])
    subscription.dispose()
  }

  @Test func `a send creates a session of a registered reactor, once`() async throws {
    let made = Mutex<[String]>([])
    sessions.register("lobby") { context -> LobbyReactor in
      made.withLock { $0.append(context.session.id) }
      return LobbyReactor()
    }
    let auction = AuctionReactor(sessions.context("auction", "lamp"))
    sessions.add(auction, as: "auction", "lamp")
    auction.action.onNext(.open)
    #expect(auction.currentState.lobby == ["lamp"])
    #expect(made.withLock { $0 } == ["main"])

    let other = sessions.context("test", "a").session(LobbyReactor.self, "lobby", "other")
    var states = other.state.values.makeAsyncIterator()
    #expect(try await states.next()?.names == [])
    #expect(made.withLock { $0 } == ["main", "other"])
    sessions.remove("lobby", "other")
    await #expect(throws: SessionSendError.ended(other.session)) { try await states.next() }
  }

  @Test func `sessions that observe each other receive each other's States`() async throws {
    sessions.register("mirror") { MirrorReactor($0) }
    let left = MirrorReactor(sessions.context("mirror", "left"))
    sessions.add(left, as: "mirror", "left")
    left.action.onNext(3)
    let right = sessions.context("test", "a").session(MirrorReactor.self, "mirror", "right")
    var states = right.state.values.makeAsyncIterator()
    #expect(try await states.next() == .init(own: 0, other: 3))
    _ = right.send(4).subscribe()
    #expect(left.currentState == .init(own: 3, other: 4))
  }

  @Test func `a send leaves when the turn of its session is done`() {
    let early = EarlyReactor(sessions.context("early", "a"))
    sessions.add(early, as: "early", "a")
    early.other = sessions.context("early", "a").session(WitnessReactor.self, "witness", "a")
    let witness = WitnessReactor { early.currentState }
    sessions.add(witness, as: "witness", "a")
    early.action.onNext(1)
    #expect(early.currentState == ["before", "after"])
    #expect(witness.currentState == [["before", "after"]])
  }

  @Test func `a wait for effects ends after the limit`() async throws {
    let sessions = LocalSessions(wait: .milliseconds(1))
    sessions.add(lobby, as: "lobby", "main")
    let reference = sessions.context("test", "a").session(LobbyReactor.self, "lobby", "main")
    var states = reference.send(.list("slow")).values.makeAsyncIterator()
    #expect(try await states.next()?.names == [])
    lobby.gate.onNext(())
    #expect(lobby.currentState.names == ["slow"])
  }

  @Test func `removal ends the sends that wait`() {
    let auction = auction("slow")
    let errors = Mutex<[String]>([])
    let context = sessions.context("test", "a")
    let sends = ["auction", "lobby"].map { name in
      context.session(named: name, name == "lobby" ? "main" : "slow")
        .send(name == "lobby" ? #"{"list":"slow"}"# : #"{"open":{}}"#)
        .subscribe(onError: { error in errors.withLock { $0.append("\(name) \(error)") } })
    }
    sessions.remove("auction", "slow")
    sessions.remove("lobby", "main")
    #expect(errors.withLock { $0 } == ["auction ended(auction/slow)", "lobby ended(lobby/main)"])
    #expect(auction.currentState.lobby == [])
    for send in sends { send.dispose() }
  }

  @Test func `sessions end with the object, which they do not retain`() {
    weak var released: LocalSessions?
    let reactor: AuctionReactor
    let context: SessionContext<NoParameters>
    do {
      let sessions = LocalSessions()
      released = sessions
      sessions.register("lobby") { _ in LobbyReactor() }
      context = sessions.context("auction", "lamp")
      reactor = AuctionReactor(context)
      sessions.add(reactor, as: "auction", "lamp")
      reactor.action.onNext(.open)
      #expect(reactor.currentState.lobby == ["lamp"])
    }
    #expect(released == nil)
    reactor.action.onNext(.fail)
    #expect(reactor.currentState.steps == [])
    let errors = Mutex<[String]>([])
    _ = context.session(named: "lobby", "main").state.subscribe(
      onError: { error in errors.withLock { $0.append("\(error)") } })
    #expect(errors.withLock { $0 } == ["ended(lobby/main)"])
  }
}

/// Shows its own value and that of the other mirror.
private final class MirrorReactor: Reactor {
  typealias Action = Int
  enum Mutation { case own(Int), other(Int) }
  struct State: Codable, Equatable { var own = 0, other = 0 }

  let initialState = State()
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) { self.context = context }

  func mutate(action: Int) -> Observable<Mutation> { .just(.own(action)) }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    let id = context.session.id == "left" ? "right" : "left"
    let other = context.session(MirrorReactor.self, "mirror", id)
    return .merge(mutation, other.state.map(\.own).distinctUntilChanged().map(Mutation.other))
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .own(let value): state.own = value
    case .other(let value): state.other = value
    }
    return state
  }
}

/// Sends in the middle of a turn.
private final class EarlyReactor: Reactor {
  typealias Action = Int
  typealias Mutation = String
  let initialState: [String] = []
  var other: SessionReference<WitnessReactor>?

  init(_ context: SessionContext<NoParameters>) {}

  func mutate(action: Int) -> Observable<String> {
    .merge(.just("before"), other?.sendOnly(action) ?? .empty(), .just("after"))
  }

  func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
}

/// Shows what another reactor shows at each action.
private final class WitnessReactor: Reactor {
  typealias Action = Int
  typealias Mutation = [String]
  let initialState: [[String]] = []
  private let look: () -> [String]

  init(_ look: @escaping () -> [String]) { self.look = look }

  func mutate(action: Int) -> Observable<[String]> { .just(look()) }

  func reduce(state: [[String]], mutation: [String]) -> [[String]] { state + [mutation] }
}
