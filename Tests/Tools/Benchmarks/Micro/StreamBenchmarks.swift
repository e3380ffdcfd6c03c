import AllocationCounter
import Foundation
import ReactorCore
import ReactorStreams

/// The hot path without a server: the cost of an element in a reactor and in streams, compared with
/// equivalent closures and with RxSwift.
enum StreamBenchmarks {
  private static let rounds = 7

  /// Measures everything and prints a table.
  static func run(_ bench: Bench) throws {
    var kept: [Tally] = []
    kept.reserveCapacity(100)
    precondition(allocations(of: { _ in kept.append(Tally()) }, 100) == 1, "nothing is counted")
    print("                                          ns  allocations  closures, ns  ratio")
    report(action())
    print()
    try chains(bench)
  }

  // MARK: Workloads

  private struct Measurement {
    let name: String
    let count: Int
    let streams: (Int) -> Void
    let closures: (Int) -> Void
  }

  private final class SumReactor: Reactor {
    enum Action: Sendable { case add(Int) }
    enum Mutation: Sendable { case add(Int) }
    struct State: Sendable { var sum = 0 }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .add(let amount): .just(.add(amount))
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .add(let amount): state.sum &+= amount
      }
      return state
    }
  }

  private static func action() -> Measurement {
    let reactor = SumReactor()
    let action = reactor.action
    let shown = Tally()
    let bag = DisposeBag()
    reactor.state.subscribe(onNext: { shown.note($0.sum) }).disposed(by: bag)

    var state = 0
    let mutate: (Int) -> Int = opaque { $0 }
    let reduce: (Int, Int) -> Int = opaque { $0 &+ $1 }
    let show: (Int) -> Void = opaque { shown.note($0) }
    return Measurement(
      name: "action, mutate, reduce, 1 subscriber", count: 200_000,
      streams: {
        action.onNext(.add($0)); withExtendedLifetime(bag) {}
      },
      closures: {
        state = reduce(state, mutate($0))
        show(state)
      })
  }

  // MARK: Chains

  /// One measured chain, as the program StreamPeer prints it.
  private struct Chain {
    let name: String
    let nanoseconds: Double
    let allocations: Double
  }

  /// Measures the chains of StreamChains, beside those of RxSwift if `STREAM_PEER` is the program that
  /// config/build-peer has built.
  private static func chains(_ bench: Bench) throws {
    let own = bench.programs.appending(path: "StreamPeer")
    let peer = ProcessInfo.processInfo.environment["STREAM_PEER"] ?? ""
    guard !peer.isEmpty else {
      for chain in try measured(own) {
        print(
          chain.name.padding(toLength: 46, withPad: " ", startingAt: 0)
            + String(format: "%10.1f %12.2f", chain.nanoseconds, chain.allocations))
      }
      return
    }
    print(String(repeating: " ", count: 54) + "ns  allocations  RxSwift, ns  allocations  ratio")
    // Alternately, so that the load of the machine affects both; the fastest of each counts.
    let rounds = try (0..<bench.rounds).map { _ in
      (try measured(own), try measured(URL(fileURLWithPath: peer)))
    }
    func fastest(_ runs: [[Chain]], _ index: Int) -> Double {
      runs.map { $0[index].nanoseconds }.min() ?? 0
    }
    for (index, chain) in rounds[0].0.enumerated() {
      let (own, other) = (fastest(rounds.map(\.0), index), fastest(rounds.map(\.1), index))
      print(
        chain.name.padding(toLength: 46, withPad: " ", startingAt: 0)
          + String(
            format: "%10.1f %12.2f %12.1f %12.2f %6.2f", own, chain.allocations, other,
            rounds[0].1[index].allocations, own / other) + (own > other ? "  MISSED" : ""))
    }
  }

  /// Executes the program and reads its lines.
  ///
  /// On one processor: an event that passes to another thread costs four times as much if the kernel wakes the
  /// thread on the other processor, which is chance.
  private static func measured(_ program: URL) throws -> [Chain] {
    let text = try Pinned.output(of: program, [])
    return try text.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t")
      guard fields.count == 3, let nanoseconds = Double(fields[1]),
        let allocations = Double(fields[2])
      else { throw BenchmarkError("\(program.path) has printed \(line)") }
      return Chain(name: String(fields[0]), nanoseconds: nanoseconds, allocations: allocations)
    }
  }

  // MARK: Measuring

  private static func report(_ measurement: Measurement) {
    let times = (0..<rounds).map { _ in
      (time(measurement.streams, measurement.count), time(measurement.closures, measurement.count))
    }
    let streams = times.map(\.0).sorted()[rounds / 2]
    let closures = times.map(\.1).sorted()[rounds / 2]
    let allocations = allocations(of: measurement.streams, measurement.count)
    print(
      measurement.name.padding(toLength: 36, withPad: " ", startingAt: 0)
        + String(
          format: "%8.0f %12.2f %13.1f %6.1f", streams, allocations, closures, streams / closures))
  }

  /// Returns the allocations per call.
  private static func allocations(of body: (Int) -> Void, _ count: Int) -> Double {
    allocation_counter_start()
    for number in 0..<count { body(number) }
    return Double(allocation_counter_stop()) / Double(count)
  }

  /// Returns the nanoseconds per call.
  private static func time(_ body: (Int) -> Void, _ count: Int) -> Double {
    let time = ContinuousClock().measure { for number in 0..<count { body(number) } }
    return time / .nanoseconds(1) / Double(count)
  }

  /// A closure that is opaque to the optimizer, like an observer.
  @inline(never)
  private static func opaque<Closure>(_ closure: Closure) -> Closure {
    closure
  }
}

/// The smallest amount of work of an observer that the optimiser does not remove.
private final class Tally: Sendable {
  // Proof: each measurement sends and observes on a single thread.
  nonisolated(unsafe) private var sum = 0

  @inline(never)
  func note(_ value: Int) {
    sum &+= value
  }
}
