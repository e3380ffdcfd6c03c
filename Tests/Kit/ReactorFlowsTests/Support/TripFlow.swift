import ReactorCore
import ReactorFlows
import Synchronization

/// Records values in order.
///
/// Any thread may add one.
final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Mutex<[Value]>([])

  var values: [Value] { recorded.withLock { $0 } }

  func add(_ value: Value) { recorded.withLock { $0.append(value) } }

  func removeAll() { recorded.withLock { $0 = [] } }
}

/// The objects that a test shares with the reactors of its flow.
struct TripBoard: Sendable {
  /// The functions that were called, in order.
  let calls = Recorder<String>()

  /// The effects of notes emit the texts of this stream.
  let texts = PublishSubject<String>()
}

/// A flow that does what its steps say.
final class TripFlow: Coordinator {
  enum Action: Codable, Sendable, StackRequesting {
    case stack(StackAction<TripFlow>)
    case run(Step)
  }

  enum Mutation: Codable, Sendable, StackChanging {
    case stack(StackMutation<TripFlow>)
    case noted(String)
  }

  indirect enum Step: Codable, Sendable {
    case present(String, animated: Bool = true, onDismissed: Step? = nil)
    case child(onDismissed: Step? = nil)
    case dismiss(animated: Bool)
    case dismissFrom(String)
    case pop
    case replace(String, onDismissed: Step? = nil)
    case open(String)
    case write(String, to: String)
    case note(String)
    case noteChildren
    case later(Step)
    case schedule(write: String, to: String)
    case all([Step])
  }

  struct State: Codable, Equatable, StackHolding {
    var stack = Stack<TripFlow>(HomeReactor.State())
    var notes: [String] = []
  }

  static let modules: [Module<TripFlow>] = [
    Module("home", HomeReactor.self, make: { HomeReactor($0.board) }) { $0.step },
    Module(
      "note", NoteReactor.self, link: Link("notes", \.name) { .init(name: $0) },
      make: { NoteReactor($0.board) }
    ) {
      if case .report(let step) = $0 { step } else { nil }
    },
    Module("side", SideFlow.self, make: { SideFlow($0.board) }) {
      if case .report(let step) = $0 { step } else { nil }
    },
    Module(
      "help", HelpReactor.self, link: Link("help") { .init() }, make: { _ in HelpReactor() }),
  ]

  let initialState = State()
  let router = NavigationRouter<TripFlow>()
  let board: TripBoard

  init(_ board: TripBoard) { self.board = board }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): router.mutate(action, in: self)
    case .run(let step): coordinate(step)
    }
  }

  func coordinate(_ step: Step) -> Observable<Mutation> {
    board.calls.add("coordinate")
    return switch step {
    case .present(let name, let animated, let step):
      present(NoteReactor.State(name: name), animated: animated, onDismissed: step)
    case .child(let step): presentChild(SideFlow.State(), animated: true, onDismissed: step)
    case .dismiss(let animated): dismiss(animated: animated)
    case .dismissFrom(let id): router.dismiss(from: id, animated: true)
    case .pop: router.pop(animated: true)
    case .replace(let name, let step):
      router.replace(with: NoteReactor.State(name: name), onDismissed: step)
    case .open(let path): router.open(path)
    case .write(let text, let id): router.send(NoteReactor.Action.write(text), to: id)
    case .note(let text): .just(.noted(text))
    case .noteChildren: .just(.noted("\(children.map(\.entry.id))"))
    case .schedule(let text, let id):
      schedule(
        .stack(.send(.write(text), to: id, of: NoteReactor.self)), at: .now + .seconds(1),
        id: "write")
    case .later(let step): board.texts.take(1).map { .noted("\($0) \(step)") }
    case .all(let steps): .concat(steps.map { step in deferredCoordinate(step) })
    }
  }

  private func deferredCoordinate(_ step: Step) -> Observable<Mutation> {
    // Proof: the streams are subscribed to in the serial context.
    nonisolated(unsafe) let flow = self
    return .deferred { flow.coordinate(step) }
  }

  func allowsDismissal(of entry: Entry<TripFlow>) -> Bool {
    entry.state(of: NoteReactor.self)?.name != "locked"
  }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    if case .stack(let mutation) = mutation { router.follow(mutation, in: self) } else { .empty() }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    case .noted(let text): state.notes.append(text)
    }
    return state
  }
}

/// The first screen.
final class HomeReactor: Reactor {
  enum Action: Codable, Sendable { case run(TripFlow.Step) }
  struct Mutation: Codable, Sendable { let step: TripFlow.Step }
  struct State: Codable {}

  let initialState = State()
  private let board: TripBoard

  init(_ board: TripBoard) { self.board = board }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .run(let step): .just(Mutation(step: step))
    }
  }
}

/// A screen with effects, an error and a following mutation.
final class NoteReactor: Reactor, FollowingReactor {
  enum Action: Codable, Sendable {
    case write(String), hold, search, cancelSearch, schedule, fail, report(TripFlow.Step)
    case writeAndReport(String, TripFlow.Step), count
  }

  enum Mutation: Codable, Sendable {
    case write(String), followed(String), report(TripFlow.Step), count
  }

  struct State: Codable, Equatable {
    var name = ""
    var texts: [String] = []
  }

  struct Mishap: Error {}

  let initialState = State()
  private let board: TripBoard

  init(_ board: TripBoard) { self.board = board }

  func mutate(action: Action) -> Observable<Mutation> {
    board.calls.add("mutate")
    return switch action {
    case .write(let text): .just(.write(text))
    case .hold: board.texts.map { .write($0) }
    case .search: board.texts.map { .write($0) }.cancellable(id: "search")
    case .cancelSearch: .cancel(id: "search")
    case .schedule: schedule(.hold, at: .now, id: "hold")
    case .fail: .error(Mishap())
    case .report(let step): .just(.report(step))
    case .writeAndReport(let text, let step): .of(.report(step), .write(text))
    case .count: .of(.count, .count)
    }
  }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    board.calls.add("follow")
    if case .write(let text) = mutation, text.hasSuffix("!") { return .just(.followed(text)) }
    if case .report = mutation { return .concat(.just(.followed("report"))) }
    return .empty()
  }

  func reduce(state: State, mutation: Mutation) -> State {
    board.calls.add("reduce")
    var state = state
    switch mutation {
    case .write(let text): state.texts.append(text)
    case .followed(let text): state.texts.append("\(text) followed")
    case .report: break
    case .count: state.texts.append("<\(currentState.texts.count)>")
    }
    return state
  }

  func onError(_ error: any Error, in stage: ReactorStage) {
    board.calls.add("onError \(error)")
  }
}

/// A screen with a link without a text.
final class HelpReactor: Reactor {
  enum Action: Codable, Sendable { case nothing }
  enum Mutation: Codable, Sendable { case nothing }
  struct State: Codable {}
  let initialState = State()
  func mutate(action: Action) -> Observable<Mutation> { .empty() }
}

/// A child flow with a single kind of screen.
final class SideFlow: Coordinator {
  enum Action: Codable, Sendable {
    case stack(StackAction<SideFlow>), present, pop, finish(TripFlow.Step)
  }

  enum Mutation: Codable, Sendable, StackChanging {
    case stack(StackMutation<SideFlow>), left, report(TripFlow.Step)
  }

  enum Step: Codable, Sendable { case left, report(TripFlow.Step) }

  struct State: Codable, Equatable, StackHolding {
    var stack = Stack<SideFlow>(NoteReactor.State(name: "side"))
    var left = 0
  }

  static let modules: [Module<SideFlow>] = [
    Module("note", NoteReactor.self, make: { NoteReactor($0.board) }) {
      if case .report(let step) = $0 { .report(step) } else { nil }
    }
  ]

  let initialState = State()
  let router = NavigationRouter<SideFlow>()
  let board: TripBoard

  init(_ board: TripBoard) { self.board = board }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): router.mutate(action, in: self)
    case .present:
      .concat(
        present(NoteReactor.State(name: "one"), animated: true, onDismissed: .left),
        present(NoteReactor.State(name: "two"), animated: true, onDismissed: .left))
    case .pop: router.pop(animated: true)
    case .finish(let step): .just(.report(step))
    }
  }

  func coordinate(_ step: Step) -> Observable<Mutation> {
    switch step {
    case .left: .just(.left)
    case .report(let step): .just(.report(step))
    }
  }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    if case .stack(let mutation) = mutation { router.follow(mutation, in: self) } else { .empty() }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    case .left: state.left += 1
    case .report: break
    }
    return state
  }
}
