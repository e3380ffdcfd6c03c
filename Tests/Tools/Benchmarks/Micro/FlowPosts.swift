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
      try FlowPosts.checkStates()
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
      try FlowGrowth.report(bench)
    }
  }
}

/// One of the compared reactors.
///
/// Their States have the same JSON, and each action has one mutation.
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

  /// Checks that the States of the contestants have the same JSON.
  ///
  /// Otherwise the contestants are not comparable.
  static func checkStates() throws {
    let states = all.map { contestant in
      let service = FlowService(contestant.registration)
      service.send(FlowService.request(contestant.start))
      return service.state(after: FlowService.request(contestant.action))
    }
    guard let first = states.first, !first.isEmpty, states.allSatisfy({ $0 == first }) else {
      throw BenchmarkError("the States of the contestants differ")
    }
  }

  /// Posts an action repeatedly, without a transport.
  ///
  /// - Returns: The time per request.
  func post(count: Int) throws -> Duration {
    let service = FlowService(registration)
    service.send(FlowService.request(start))
    let repeated = FlowService.request(action)
    let time = ContinuousClock().measure { for _ in 0..<count { service.send(repeated) } }
    try service.check(count + 1)
    return time / count
  }
}

/// The service without a transport, with one session.
private final class FlowService: Sendable {
  private let api: ReactorAPI
  private let completed = Atomic<Int>(0)

  init(_ registration: ReactorRegistration) {
    // Without threads, each request gets its response at once.
    var settings = HostSettings()
    settings.backgroundThreads = 0
    api = ReactorAPI(host: Host([registration], settings: settings))
  }

  static func request(_ body: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: "/v1/reactors/bench/sessions/one/actions",
      headers: [(.contentType, "application/json")], body: Array(body.utf8))
  }

  func send(_ request: HTTPRequest) {
    api.respond(to: request) { [self] response in
      if response.status == 200 { completed.add(1, ordering: .relaxed) }
    }
  }

  /// Sends an action and returns the State of its response; empty if the action was rejected.
  func state(after request: HTTPRequest) -> [UInt8] {
    let state = Mutex<[UInt8]>([])
    api.respond(to: request) { response in
      guard response.status == 200, case .bytes(let body) = response.body else { return }
      state.withLock { $0 = body }
    }
    return state.withLock { $0 }
  }

  /// Throws if one of the actions was rejected.
  func check(_ count: Int) throws {
    let completed = completed.load(ordering: .relaxed)
    guard completed == count else {
      throw BenchmarkError("\(completed) of \(count) actions were executed")
    }
  }
}

/// The growth of a session in which a screen is presented and dismissed 100,000 times.
private enum FlowGrowth {
  private static let steps = 100_000
  /// The number of steps of the first and of the last measurement.
  ///
  /// The log has its final size after the first `part` steps.
  private static let part = 20_000

  static func report(_ bench: Bench) throws {
    var (times, memory): ([Double], [Double]) = ([], [])
    for _ in 0..<bench.rounds {
      let service = FlowService(FlowPosts.flow.registration)
      _ = visit(service, 0..<part)
      let (first, before) = (visit(service, part..<2 * part), try ResidentMemory.bytes())
      _ = visit(service, 2 * part..<steps - part)
      let last = visit(service, steps - part..<steps)
      memory.append((try ResidentMemory.bytes() - before) / Double(steps - 2 * part))
      times.append(last / first)
      try service.check(2 * steps)
    }
    bench.report(
      Figure(
        load: "100,000 screens", contestant: FlowPosts.flow.name, unit: "last step / first step",
        value: Sample(times), aim: .atMost(1.1)))
    bench.report(
      Figure(
        load: "100,000 screens", contestant: FlowPosts.flow.name, unit: "bytes/step",
        value: Sample(memory), aim: .atMost(16)))
  }

  /// Presents and dismisses screens; returns the time.
  private static func visit(_ service: FlowService, _ numbers: Range<Int>) -> Duration {
    let present = FlowService.request(#"{"stack":{"open":"/pages/a"}}"#)
    return ContinuousClock().measure {
      for number in numbers {
        service.send(present)
        service.send(FlowService.request(#"{"stack":{"dismiss":"\#(number + 2)"}}"#))
      }
    }
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
  enum Action: Codable, StackRequesting { case stack(StackAction<BenchFlow>) }
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
