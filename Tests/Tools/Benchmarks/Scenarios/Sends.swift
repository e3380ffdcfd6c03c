import ReactorCore
import ReactorHost
import ReactorLog
import Reactors

extension Scenario {
  /// The rate of sends between two sessions in memory.
  static var sends: Scenario {
    Scenario(
      name: "sends",
      summary: "actions from one session to another, beside POST without a transport",
      isPartOfAll: false
    ) { bench in
      var (posts, sends): ([Double], [Double]) = ([], [])
      for _ in 0..<(bench.rounds * 3) {
        posts.append(1e-6 / (InProcess.post(count: 100_000) / .seconds(1)))
        sends.append(1e-6 / (try await SendLoad().time() / .seconds(1)))
      }
      bench.report(
        Figure(
          load: "in process", contestant: "POST", unit: "million actions/s", value: Sample(posts)))
      bench.report(
        Figure(
          load: "in process", contestant: "send", unit: "million actions/s", value: Sample(sends),
          ratio: .init(to: "POST", value: Sample(sends, dividedBy: posts)), aim: .atLeast(0.7)))
    }
  }
}

/// A session that sends actions to a counter.
private struct SendLoad {
  /// The number of sends of one action.
  ///
  /// They are pending at the same time.
  private static let burst = 500
  private static let bursts = 200

  /// Returns the time per send.
  func time() async throws -> Duration {
    let host = Host([
      ReactorRegistration("counter", summary: "") { CounterReactor() },
      ReactorRegistration("relay", summary: "") { context in RelayReactor(context) },
    ])
    let relay = try await host.session("relay")
    let counter = try await host.session("counter")
    try await relay.run("\(Self.burst)")
    let time = try await ContinuousClock().measure {
      for _ in 0..<Self.bursts { try await relay.run("\(Self.burst)") }
    }
    let sends = Self.burst * (Self.bursts + 1)
    guard counter.current.version == sends else {
      throw BenchmarkError("\(counter.current.version) of \(sends) sends arrived")
    }
    return time / (Self.burst * Self.bursts)
  }
}

extension Host {
  /// Opens the session `bench`.
  fileprivate func session(_ name: String) async throws -> any Session {
    guard let reactor = reactor(name) else { throw BenchmarkError("\(name) is not hosted") }
    return try await reactor.session("bench", for: .use).session
  }
}

extension Session {
  /// Executes an action and waits for its effects.
  fileprivate func run(_ action: String) async throws {
    let outcome = try await withCheckedThrowingContinuation { continuation in
      do {
        try submit(Array(action.utf8), ifAt: nil, key: nil, for: nil, accepted: nil) {
          continuation.resume(returning: $0)
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    guard case .committed = outcome else { throw BenchmarkError("an action failed: \(outcome)") }
  }
}

/// Sends as many actions to the counter as its own action requests.
private final class RelayReactor: Reactor {
  typealias Action = Int
  typealias Mutation = Int
  struct State: Codable { var bursts = 0 }

  let initialState = State()
  private let counter: SessionReference<CounterReactor>

  init(_ context: SessionContext<NoParameters>) {
    counter = context.session(CounterReactor.self, "counter", "bench")
  }

  func mutate(action: Int) -> Observable<Int> {
    .merge((0..<action).map { _ in counter.sendOnly(.increase) })
  }

  func reduce(state: State, mutation: Int) -> State { state }
}
