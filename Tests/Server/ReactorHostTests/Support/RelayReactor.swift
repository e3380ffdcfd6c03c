import ReactorCore
import ReactorHost
import ReactorStreams

/// Receives words from other sessions.
final class ListReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(String)
    case hold(String)
  }

  typealias Mutation = String

  struct State: Codable, Sendable {
    var words: [String] = []
  }

  let initialState = State()
  private let board: EffectBoard

  init(board: EffectBoard) { self.board = board }

  func mutate(action: Action) -> Observable<String> {
    switch action {
    case .add(let word): .just(word)
    case .hold(let name): board[name].map { _ in "held" }
    }
  }

  func reduce(state: State, mutation: String) -> State {
    var state = state
    state.words.append(mutation)
    return state
  }
}

/// Sends actions to other sessions.
final class RelayReactor: Reactor {
  enum Expectation: String, Codable, Sendable {
    case effects, commit, accepted
  }

  enum Action: Codable, Sendable {
    case send(words: [String], expecting: Expectation)
    case merge([String])
    case all([String])
    case sendTo(String)
    case chain(Int)
    case pingPong(Int)
  }

  enum Mutation: Codable, Sendable {
    case saw(String)
    case failed(String)
  }

  struct State: Codable, Sendable {
    var seen: [String] = []
    var failures: [String] = []
  }

  let initialState = State()
  private let context: SessionContext<NoParameters>
  private let list: SessionReference<ListReactor>

  init(_ context: SessionContext<NoParameters>, board: EffectBoard) {
    self.context = context
    list = context.session(ListReactor.self, "list", "main")
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .send(let words, let expectation):
      .concat(words.map { send($0, expectation) })
    case .merge(let words):
      .merge(words.map { list.sendOnly(.add($0)) })
    case .all(let words):
      .merge(words.map { send($0, .effects) })
    case .sendTo(let address): sendTo(address)
    case .chain(let count): chain(count)
    case .pingPong(let count): pingPong(count)
    }
  }

  private func send(_ word: String, _ expectation: Expectation) -> Observable<Mutation> {
    let action: ListReactor.Action =
      word.hasPrefix("hold:") ? .hold(String(word.dropFirst(5))) : .add(word)
    let expecting: SendExpectation =
      switch expectation {
      case .effects: .effects
      case .commit: .commit
      case .accepted: .accepted
      }
    return list.send(action, expecting: expecting).map { state in
      .saw("\(state.words.count): \(state.words.last ?? "")")
    }
  }

  private func sendTo(_ address: String) -> Observable<Mutation> {
    let parts = address.split(separator: "/").map(String.init)
    return context.session(named: parts[0], parts[1]).send(#""nothing""#)
      .map { .saw($0) }
      .catch { error in
        let error = error as? any ActionError
        return .just(.failed("\(error?.status ?? 0) \(error?.title ?? "")"))
      }
  }

  private func chain(_ count: Int) -> Observable<Mutation> {
    guard count > 0 else { return .just(.saw("end")) }
    let next = (Int(context.session.id) ?? 0) + 1
    return context.session(RelayReactor.self, "relay", "\(next)").send(.chain(count - 1))
      .map { _ in .saw("next") }
  }

  private func pingPong(_ count: Int) -> Observable<Mutation> {
    guard count > 0 else { return .never() }
    let other = context.session.id == "a" ? "b" : "a"
    return context.session(RelayReactor.self, "relay", other).send(.pingPong(count - 1))
      .map { _ in .saw("pong") }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .saw(let text): state.seen.append(text)
    case .failed(let text): state.failures.append(text)
    }
    return state
  }
}

/// Merges the State of another session into its own.
final class MirrorReactor: Reactor {
  typealias Action = Int
  typealias Mutation = ListReactor.State
  typealias State = ListReactor.State

  let initialState = State()
  private let list: SessionReference<ListReactor>
  private let report: @Sendable (any Error) -> Void

  init(
    _ context: SessionContext<NoParameters>,
    report: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    list = context.session(ListReactor.self, "list", "main")
    self.report = report
  }

  func mutate(action: Int) -> Observable<State> { .empty() }

  func transform(mutation: Observable<State>) -> Observable<State> {
    .merge(mutation, list.state)
  }

  func reduce(state: State, mutation: State) -> State { mutation }

  func onError(_ error: any Error, in stage: ReactorStage) { report(error) }
}
