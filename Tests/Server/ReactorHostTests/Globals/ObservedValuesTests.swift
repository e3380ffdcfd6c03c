import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// The values that a reactor observes, after its session was evicted or its process restarted.
struct ObservedValuesTests {
  /// How the session leaves the memory.
  enum Leave: CaseIterable { case eviction, restart }

  /// The ways in which a reactor combines the values with its actions and mutations.
  enum Shape: String, CaseIterable, Sendable {
    case latestInActions, latestOfGlobal, combinedActions, switchedActions, sharedActions
    case combinedMutations, twoCombined, twoCombinedReversed, mergedTwice, sharedMutations
    case followedTwice, globalThenSession, globalAsAction
  }

  private let log = MemoryLog()

  private func host(_ shape: Shape, _ globals: Globals) -> Host {
    Host(
      [
        ReactorRegistration("list", summary: "Observed") { _ in ListReactor(board: EffectBoard()) },
        ReactorRegistration("observer", summary: "Observes") {
          ObservingReactor($0, shape, globals)
        },
      ], globals: [globals.rate, globals.unit], log: log)
  }

  /// Opens a session whose load may wait for other sessions.
  private func open(_ host: Host, _ id: String = "o") async throws -> any Session {
    try await #require(host.reactor("observer")).session(id, for: .use).session
  }

  /// Waits for the mutations of a session, and then for further ones, which it should not have.
  private func settle(_ session: any Session, at count: Int) async throws {
    try await eventually { session.current.version >= count }
    var version = -1
    while version != session.current.version {
      version = session.current.version
      for _ in 0..<200 { await Task.yield() }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test(arguments: Shape.allCases, Leave.allCases)
  func `a loaded session has the values that it observes, and repeats no mutation`(
    shape: Shape, leave: Leave
  ) async throws {
    let globals = Globals()
    try await globals.rate.set(2)
    try await globals.unit.set(10)
    var host = host(shape, globals)
    try host.open("list", "main").send(#"{"add":"x"}"#)
    let expected: [String]
    do {
      let session = try await open(host)
      try await settle(session, at: shape.opening)
      try session.send("1")
      try await settle(session, at: shape.opening + 1)
      expected = try await mutations(session)
      #expect(expected.contains { $0.hasPrefix("action") } || shape.hasNoAction)
    }
    for round in 1...3 {
      switch leave {
      case .eviction:
        for name in ["observer", "list"] {
          for _ in 0..<3 { host.reactor(name)?.sweep() }
        }
        try await eventually {
          host.reactor("observer")?.sweep()
          return host.reactor("observer")?.liveSessionCount == 0
        }
      case .restart: host = self.host(shape, globals)
      }
      let session = try await open(host)
      let before = try await mutations(session)
      #expect(
        before.count == expected.count + (round - 1) * (shape.hasNoAction ? 0 : 1), "\(before)")
      // The first action after the load has its effect.
      try session.send("1")
      try await settle(session, at: before.count + (shape.hasNoAction ? 0 : 1))
      let after = try await mutations(session)
      #expect(after.count == before.count + (shape.hasNoAction ? 0 : 1), "\(before) → \(after)")
      if !shape.hasNoAction { #expect(after.last == expected.last { $0.hasPrefix("action") }) }
    }
  }

  @Test(arguments: Shape.allCases, Leave.allCases)
  func `a loaded session receives a value that has changed meanwhile`(
    shape: Shape, leave: Leave
  ) async throws {
    let globals = Globals()
    try await globals.rate.set(2)
    try await globals.unit.set(10)
    var host = host(shape, globals)
    try host.open("list", "main").send(#"{"add":"x"}"#)
    do {
      let session = try await open(host)
      try await settle(session, at: shape.opening)
      try session.send("1")
      try await settle(session, at: shape.opening + 1)
    }
    switch leave {
    case .eviction:
      try await eventually {
        host.reactor("observer")?.sweep()
        return host.reactor("observer")?.liveSessionCount == 0
      }
    case .restart: host = self.host(shape, globals)
    }
    try await globals.rate.set(3)
    let session = try await open(host)
    let count = shape.opening + 1 + shape.changes
    try await settle(session, at: count)
    try session.send("1")
    try await settle(session, at: count + 1)
    let texts = try await mutations(session)
    #expect(!shape.showsRate || texts.contains { $0.contains("3") }, "\(texts)")
    let again = try await open(host)
    #expect(try await mutations(again) == texts)
  }

  @Test func `each of two observers receives all values`() async throws {
    for shape in [Shape.mergedTwice, .followedTwice] {
      let globals = Globals()
      let host = Host(
        [
          ReactorRegistration("list", summary: "Observed") { _ in ListReactor(board: EffectBoard())
          },
          ReactorRegistration("observer", summary: "Observes") {
            ObservingReactor($0, shape, globals)
          },
        ], globals: [globals.rate, globals.unit])
      try await globals.rate.set(1)
      let list = try host.open("list", "main")
      let session = try await open(host)
      try await settle(session, at: 2)
      for value in 2...4 {
        try await globals.rate.set(value)
        try list.send(#"{"add":"x"}"#)
        try await settle(session, at: 2 * value)
      }
      let texts = try await mutations(session)
      let (first, second) = (
        texts.filter { $0.hasPrefix("a ") }, texts.filter { $0.hasPrefix("b ") }
      )
      #expect(first.count == 4, "\(shape) \(texts)")
      #expect(first.map { $0.dropFirst(2) } == second.map { $0.dropFirst(2) }, "\(shape) \(texts)")
    }
  }

  @Test func `a value that the second observer has not received before a crash is new to it`()
    async throws
  {
    let globals = Globals()
    try await globals.rate.set(2)
    let double = LogDouble(log)
    let make = { [log = self.log] (other: (any MutationLog)?) in
      Host(
        [
          ReactorRegistration("observer", summary: "Observes") {
            ObservingReactor($0, .mergedTwice, globals)
          }
        ],
        globals: [globals.rate, globals.unit], log: other ?? log)
    }
    double.holdSources()
    let host = make(double)
    let results = Recorder<Result<OpenedSession, SessionError>>()
    let reactor = try #require(host.reactor("observer"))
    results.add { try await reactor.session("o", for: .use) }
    // The log commits the mutation of the first observer only if its turn ends before the second.
    double.requestBatches()
    let session = try #require(try make(nil).open("observer", "o") as (any Session)?)
    let texts = try await mutations(session)
    #expect(texts.filter { $0 == "a 2" }.count == 1)
    #expect(texts.filter { $0 == "b 2" }.count == 1)
  }
}

extension ObservedValuesTests.Shape {
  /// Whether an action of a client causes no mutation.
  fileprivate var hasNoAction: Bool { false }

  /// The number of mutations before the first action of a client.
  fileprivate var opening: Int {
    switch self {
    case .latestInActions, .combinedActions, .switchedActions, .sharedActions: 0
    case .mergedTwice, .sharedMutations, .followedTwice: 2
    default: 1
    }
  }

  /// The number of mutations that another rate causes.
  fileprivate var changes: Int {
    switch self {
    case .latestOfGlobal, .followedTwice: 0
    default: opening
    }
  }

  /// Whether a mutation or an action shows the rate.
  fileprivate var showsRate: Bool {
    switch self {
    case .latestInActions, .switchedActions, .sharedActions, .followedTwice: false
    default: true
    }
  }
}

/// The texts of the mutations of a session.
private func mutations(_ session: any Session) async throws -> [String] {
  try await session.entries(after: 0, limit: 1000).map {
    String(String(decoding: $0.mutation, as: UTF8.self).dropFirst().dropLast())
  }
}

struct Globals {
  let rate = Global<Int?>("rate", nil)
  let unit = Global<Int?>("unit", nil)
}

private func text(_ values: Int?...) -> String {
  values.map { $0.map(String.init) ?? "-" }.joined(separator: " ")
}

/// Combines observed values with its actions and mutations.
private final class ObservingReactor: Reactor {
  typealias Mutation = String

  enum Action: Codable, Sendable {
    case client
    case told(String)

    init(from decoder: any Decoder) throws {
      _ = try decoder.singleValueContainer().decode(Int.self)
      self = .client
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(1)
    }
  }

  let initialState: [String] = []
  private let shape: ObservedValuesTests.Shape
  private let list: SessionReference<ListReactor>
  private let rate: Observable<Int?>
  private let unit: Observable<Int?>

  init(
    _ context: SessionContext<NoParameters>, _ shape: ObservedValuesTests.Shape, _ globals: Globals
  ) {
    self.shape = shape
    list = context.session(ListReactor.self, "list", "main")
    rate = globals.rate.asObservable()
    unit = globals.unit.asObservable()
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    let words = list.state.map { $0.words.count }
    switch shape {
    case .latestInActions:
      return action.withLatestFrom(words) { .told("action \($1)") }
    case .latestOfGlobal:
      return action.withLatestFrom(rate) { .told("action \(text($1))") }
    case .combinedActions:
      return action.withLatestFrom(
        Observable.combineLatest(rate, unit, words) { text($0, $1, $2) }
      ) { .told("action \($1)") }
    case .switchedActions:
      return action.flatMapLatest { _ in words.map { .told("action \($0)") } }
    case .sharedActions:
      let shared = words.share(replay: 1)
      return action.withLatestFrom(shared) { ($0, $1) }.withLatestFrom(shared) {
        .told("action \($0.1) \($1)")
      }
    case .globalAsAction:
      return .merge(action, rate.map { .told("rate \(text($0))") })
    default: return action
    }
  }

  func mutate(action: Action) -> Observable<String> {
    switch action {
    case .client: .just("action")
    case .told(let text): .just(text)
    }
  }

  func transform(mutation: Observable<String>) -> Observable<String> {
    let words = list.state.map { $0.words.count }
    switch shape {
    case .combinedMutations:
      return .merge(
        mutation, Observable.combineLatest(rate, words) { "both \(text($0, $1))" })
    case .twoCombined:
      return .merge(
        mutation, Observable.combineLatest(rate, unit) { "both \(text($0, $1))" })
    case .twoCombinedReversed:
      return .merge(
        mutation, Observable.combineLatest(unit, rate) { "both \(text($0, $1))" })
    case .mergedTwice:
      return .merge(
        mutation, rate.map { "a \(text($0))" }, rate.map { "b \(text($0))" })
    case .sharedMutations:
      let shared = rate.share(replay: 1)
      return .merge(
        mutation, shared.map { "a \(text($0))" }, shared.map { "b \(text($0))" })
    case .followedTwice:
      return .merge(mutation, words.map { "a \($0)" }, words.map { "b \($0)" })
    case .globalThenSession:
      return .merge(
        mutation,
        rate.flatMapLatest { rate in words.map { "both \(text(rate, $0))" } })
    case .latestOfGlobal:
      return .merge(mutation, unit.map { "unit \(text($0))" })
    default: return mutation
    }
  }

  func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
}
