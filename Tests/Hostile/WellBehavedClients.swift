import Foundation
import Synchronization

/// Clients that each send an action or read a State ten times per second over one connection, and
/// one client that reads `/healthz` and `/readyz` a hundred times per second.
final class WellBehavedClients: Sendable {
  /// A measured request.
  struct Sample: Sendable {
    var start: Double
    /// The time to the response; infinite if there was none.
    var time: Double
    var isProbe: Bool
    /// The status of the response; 0 without one.
    var status = 0
  }

  private struct State {
    var samples: [Sample] = []
    /// The requests without a response, by client.
    var pending: [Int: Sample] = [:]
  }

  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  private let endpoint: Connection.Endpoint

  /// Starts the clients.
  init(count: Int, port: UInt16) {
    endpoint = Connection.Endpoint(port: port, source: 1)
    for number in 0..<count { start { $0.run(client: number) } }
    start { $0.runProbes() }
  }

  private func start(_ body: @escaping @Sendable (WellBehavedClients) -> Void) {
    let thread = Thread { [self] in body(self) }
    thread.stackSize = 512 << 10
    thread.start()
  }

  /// Stops the clients after their current requests.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
  }

  /// Returns the requests that started in an interval.
  ///
  /// A request without a response counts with the time so far.
  func samples(from start: Double, to end: Double) -> [Sample] {
    let now = Clock.now
    return state.withLock { state in
      let pending = state.pending.values.map {
        Sample(start: $0.start, time: now - $0.start, isProbe: $0.isProbe)
      }
      return (state.samples + pending).filter { $0.start >= start && $0.start < end }
    }
  }

  private func run(client number: Int) {
    let session = "/v1/reactors/counter/sessions/good-\(number)"
    let increase = Array(#""increase""#.utf8)
    repeatedly(number, every: 0.1, offset: Double(number) / 1_000, isProbe: false) {
      connection, turn in
      turn % 2 == 0
        ? connection.exchange("POST", session + "/actions", body: increase)
        : connection.exchange("GET", session + "/state")
    }
  }

  private func runProbes() {
    repeatedly(-1, every: 0.01, offset: 0, isProbe: true) { connection, turn in
      connection.exchange("GET", turn % 2 == 0 ? "/healthz" : "/readyz")
    }
  }

  private func repeatedly(
    _ client: Int, every interval: Double, offset: Double, isProbe: Bool,
    _ exchange: (Connection, Int) -> Connection.Response?
  ) {
    Clock.pause(offset)
    var connection: Connection?
    var due = Clock.now
    var turn = 0
    while !isStopped.load(ordering: .relaxed) {
      let start = Clock.now
      state.withLock {
        $0.pending[client] = Sample(start: start, time: 0, isProbe: isProbe)
      }
      if connection == nil { connection = Connection(to: endpoint) }
      let response = connection.flatMap { exchange($0, turn) }
      let isSuccess = response?.status == 200
      if response == nil { connection = nil }
      let time = isSuccess ? Clock.now - start : .infinity
      state.withLock {
        $0.pending[client] = nil
        $0.samples.append(
          Sample(start: start, time: time, isProbe: isProbe, status: response?.status ?? 0))
      }
      turn += 1
      due = max(due + interval, Clock.now - interval)
      Clock.pause(due - Clock.now)
    }
  }
}
