import AllocationCounter
import Foundation
import ReactorCore
import ReactorStreams

/// The hot path without a server: the cost of an element in a reactor and in streams, compared with
/// equivalent closures.
enum StreamBenchmarks {
  private static let rounds = 7

  /// Measures everything and prints a table.
  static func run() {
    var kept: [Tally] = []
    kept.reserveCapacity(100)
    precondition(allocations(of: { _ in kept.append(Tally()) }, 100) == 1, "nothing is counted")
    print("                                          ns  allocations  closures, ns  ratio")
    report(action())
    report(operators())
    report(subscribers())
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

  private static func operators() -> Measurement {
    let source = PublishSubject<Int>()
    let shown = Tally()
    let bag = DisposeBag()
    source.map { $0 &+ 1 }
      .filter { $0 != 0 }
      .scan(0) { $0 &+ $1 }
      .distinctUntilChanged()
      .map { $0 &* 2 }
      .subscribe(onNext: { shown.note($0) })
      .disposed(by: bag)

    let increase: (Int) -> Int = opaque { $0 &+ 1 }
    let isKept: (Int) -> Bool = opaque { $0 != 0 }
    let add: (Int, Int) -> Int = opaque { $0 &+ $1 }
    let double: (Int) -> Int = opaque { $0 &* 2 }
    let show: (Int) -> Void = opaque { shown.note($0) }
    var sum = 0
    var last = 0
    return Measurement(
      name: "5 operators, 1 subscriber", count: 200_000,
      streams: {
        source.onNext($0); withExtendedLifetime(bag) {}
      },
      closures: {
        let next = increase($0)
        guard isKept(next) else { return }
        sum = add(sum, next)
        guard sum != last else { return }
        last = sum
        show(double(sum))
      })
  }

  private static func subscribers() -> Measurement {
    let source = PublishSubject<Int>()
    let shown = Tally()
    let bag = DisposeBag()
    for _ in 0..<1000 {
      source.subscribe(onNext: { shown.note($0) }).disposed(by: bag)
    }
    let observers: [(Int) -> Void] = (0..<1000).map { _ in opaque { shown.note($0) } }
    return Measurement(
      name: "1,000 subscribers", count: 2_000,
      streams: {
        source.onNext($0); withExtendedLifetime(bag) {}
      },
      closures: { for observer in observers { observer($0) } })
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
