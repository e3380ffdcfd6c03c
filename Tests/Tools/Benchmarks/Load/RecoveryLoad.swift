import Foundation
import Synchronization

/// Clients that post without a pause, each to a session of its own, to measure how long a fault delays
/// them.
final class RecoveryLoad: Sendable {
  private struct State {
    /// The longest time from the first attempt of a request to its success, per client, in milliseconds.
    var longest: [Double]
    /// The time of the first attempt of the pending request, per client, or `nil` between requests.
    var startedAt: [ContinuousClock.Instant?]
    var problems: [String] = []
    var running: Int
  }

  /// Enough clients for each node to own some sessions.
  static let clients = 24

  private let ports: [Int]
  private let state: Mutex<State>
  private let isOver = Atomic(false)

  /// Starts the clients, distributed evenly over the nodes.
  ///
  /// - Parameter ports: The ports of the nodes, without the node that will fail.
  init(ports: [Int]) {
    self.ports = ports
    state = Mutex(
      State(
        longest: Array(repeating: 0, count: Self.clients),
        startedAt: Array(repeating: nil, count: Self.clients), running: Self.clients))
    for index in 0..<Self.clients {
      Thread.detachNewThread { [self] in
        post(index)
        state.withLock { $0.running -= 1 }
      }
    }
  }

  /// Injects a fault, and returns the longest delay of each client during the next seconds, in
  /// milliseconds.
  func delays(within seconds: Double, after fault: () throws -> Void) throws -> [Double] {
    usleep(500_000)
    state.withLock { $0.longest = $0.longest.map { _ in 0 } }
    try fault()
    usleep(UInt32(seconds * 1_000_000))
    let now = ContinuousClock.now
    return try state.withLock { state in
      guard state.problems.isEmpty else { throw BenchmarkError(state.problems[0]) }
      // A request that is still being repeated counts with its delay so far.
      return zip(state.longest, state.startedAt).map { longest, startedAt in
        max(longest, startedAt.map { (now - $0) / .milliseconds(1) } ?? 0)
      }
    }
  }

  /// Ends the clients.
  func finish() {
    isOver.store(true, ordering: .releasing)
    while state.withLock({ $0.running > 0 }) { usleep(10_000) }
  }

  private func post(_ index: Int) {
    let path = "/v1/reactors/counter/sessions/recovered-\(index)/actions"
    let run = UInt64.random(in: 0...UInt64.max)
    var connection: RequestConnection?
    var number = 0
    while !isOver.load(ordering: .acquiring) {
      number += 1
      let start = ContinuousClock.now
      state.withLock { $0.startedAt[index] = start }
      while !isOver.load(ordering: .acquiring) {
        do {
          let open = try connection ?? RequestConnection(port: ports[index % ports.count])
          connection = open
          let response = try open.send(
            "POST", path, key: "\(run)-\(number)", json: #""increase""#)
          if response.status == 200 { break }
          guard response.status == 503 || response.status == 409 else {
            return state.withLock { $0.problems.append(response.body) }
          }
        } catch {
          connection = nil
        }
        usleep(5_000)
      }
      let time = (ContinuousClock.now - start) / .milliseconds(1)
      state.withLock {
        $0.longest[index] = max($0.longest[index], time)
        $0.startedAt[index] = nil
      }
      usleep(5_000)
    }
  }
}
