import ReactorCore
import ReactorFlows
import ReactorHTTP
import ReactorHost
import ReactorTransport
import Synchronization

extension Scenario {
  /// The cost of a flow.
  static var flows: Scenario {
    Scenario(
      name: "flows", summary: "an action to the top of three screens, beside a plain reactor",
      isPartOfAll: false
    ) { bench in
      var times: [String: [Double]] = [:]
      for _ in 0..<(bench.rounds * 3) {
        for contestant in FlowPosts.all.shuffled() {
          let time = try contestant.post(count: 50_000)
          times[contestant.name, default: []].append(1e-6 / (time / .seconds(1)))
        }
      }
      for contestant in FlowPosts.all {
        let own = times[contestant.name] ?? []
        let plain = times[FlowPosts.plain.name] ?? []
        bench.report(
          Figure(
            load: "in process", contestant: contestant.name, unit: "million responses/s",
            value: Sample(own),
            ratio: contestant.name == FlowPosts.plain.name
              ? nil : .init(to: FlowPosts.plain.name, value: Sample(own, dividedBy: plain)),
            aim: contestant.name == FlowPosts.plain.name ? nil : .atLeast(0.85)))
      }
    }
  }
}

/// One of the reactors that are compared: States of the same size, one mutation per action.
struct FlowPosts {
  let name: String
  let registration: ReactorRegistration
  let start: String
  let action: String

  static let plain = FlowPosts(
    name: "plain reactor",
    registration: ReactorRegistration("bench", summary: "") { PlainReactor() },
    start: #"{"write":"x"}"#, action: #"{"write":"text"}"#)

  static let flow = FlowPosts(
    name: "flow",
    registration: ReactorRegistration("bench", summary: "") { BenchFlow() },
    start: #"{"stack":{"open":"/pages/a/pages/b"}}"#,
    action: #"{"stack":{"send":{"to":"3","action":{"page":{"write":"text"}}}}}"#)

  static let all = [plain, flow]

  /// Posts an action repeatedly, without a transport.
  ///
  /// - Returns: The time per request.
  func post(count: Int) throws -> Duration {
    let api = ReactorAPI(host: Host([registration]))
    func request(_ body: String) -> HTTPRequest {
      HTTPRequest(
        method: "POST", path: "/v1/reactors/bench/sessions/one/actions",
        headers: [(.contentType, "application/json")], body: Array(body.utf8))
    }
    let completed = Atomic<Int>(0)
    func send(_ request: HTTPRequest) {
      api.respond(to: request) { response in
        if response.status == 200 { completed.add(1, ordering: .relaxed) }
      }
    }
    send(request(start))
    let repeated = request(action)
    let time = ContinuousClock().measure { for _ in 0..<count { send(repeated) } }
    guard completed.load(ordering: .relaxed) == count + 1 else {
      throw BenchmarkError("\(name): an action was rejected")
    }
    return time / count
  }
}

/// A page of the flow.
private final class PageReactor: Reactor {
  enum Action: Codable { case write(String) }
  enum Mutation: Codable { case setText(String) }
  struct State: Codable { var name: String, text = "" }

  let initialState = State(name: "")

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .write(let text): .just(.setText(text))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    switch mutation {
    case .setText(let text): State(name: state.name, text: text)
    }
  }
}

/// A flow of pages.
private final class BenchFlow: Coordinator {
  enum Action: Codable { case stack(StackAction<BenchFlow>) }
  enum Mutation: Codable, StackChanging { case stack(StackMutation<BenchFlow>) }
  enum Step: Codable { case none }
  struct State: Codable, StackHolding { var stack = Stack<BenchFlow>(PageReactor.State(name: "")) }

  static let modules: [Module<BenchFlow>] = [
    Module(
      "page", PageReactor.self, link: Link("pages", { $0.name }) { .init(name: $0) },
      make: { _ in PageReactor() })
  ]

  let initialState = State()
  let router = NavigationRouter<BenchFlow>()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): router.mutate(action, in: self)
    }
  }

  func coordinate(_ step: Step) -> Observable<Mutation> { .empty() }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    switch mutation {
    case .stack(let mutation): router.follow(mutation, in: self)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    }
    return state
  }
}

/// A reactor whose State has the JSON of the flow's.
private final class PlainReactor: Reactor {
  enum Action: Codable { case write(String) }
  enum Mutation: Codable { case setText(String) }

  struct Entry: Codable {
    var id: String, screen = "page", presentation = "push", animated = false
    var onDismissed: String? = nil
    var state: PageReactor.State
  }

  struct Pages: Codable {
    var path = "/pages/a/pages/b", presented = 3
    var entries = [
      Entry(id: "1", presentation: "root", state: .init(name: "")),
      Entry(id: "2", state: .init(name: "a")), Entry(id: "3", state: .init(name: "b")),
    ]
  }

  struct State: Codable { var stack = Pages() }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .write(let text): .just(.setText(text))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setText(let text): state.stack.entries[2].state.text = text
    }
    return state
  }
}
