import Foundation
import Synchronization

/// Clients that each send an action or read a State ten times per second over one connection,
/// clients that measure when the State of their action arrives on their stream, ten times per second
/// as well, clients that connect, create a session, run an effect in it and delete it, and one client that
/// reads `/healthz` and `/readyz` a hundred times per second.
final class WellBehavedClients: Sendable {
  /// A measured request.
  struct Sample: Sendable {
    /// The measured interval.
    enum Kind: Sendable {
      /// From a request of a session to its response.
      case request
      /// From an action to the event of its State on a stream.
      case event
      /// From a request of `/healthz` or `/readyz` to its response.
      case probe
      /// Requests for places of shared tables, of which only the status counts.
      case newcomer
    }

    var start: Double
    /// The time to the end of the interval; infinite if it was not reached.
    var time: Double
    var kind: Kind
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
  private let port: UInt16
  private let isProxied: Bool

  /// Starts the clients; behind a proxy each has an address of its own.
  init(count: Int, streams: Int, port: UInt16, isProxied: Bool) {
    (self.port, self.isProxied) = (port, isProxied)
    for number in 0..<count { start { $0.run(client: number) } }
    for number in 0..<streams { start { $0.watch(client: count + number) } }
    for number in 0..<4 { start { $0.arrive(client: count + streams + number) } }
    start { $0.runProbes() }
  }

  private func endpoint(of client: Int) -> Connection.Endpoint {
    Connection.Endpoint(
      port: port, source: 1, forwarded: isProxied ? "198.51.100.\(max(0, client) + 1)" : nil)
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
        Sample(start: $0.start, time: now - $0.start, kind: $0.kind)
      }
      return (state.samples + pending).filter { $0.start >= start && $0.start < end }
    }
  }

  private func run(client number: Int) {
    let session = "/v1/reactors/counter/sessions/good-\(number)"
    let increase = Array(#""increase""#.utf8)
    repeatedly(number, .request, every: 0.1, offset: Double(number) / 1_000) { connection, turn in
      turn % 2 == 0
        ? connection.exchange("POST", session + "/actions", body: increase)
        : connection.exchange("GET", session + "/state")
    }
  }

  private func watch(client number: Int) {
    let session = "/v1/reactors/counter/sessions/good-\(number)"
    let increase = Array(#""increase""#.utf8)
    var stream: Connection?
    repeatedly(number, .event, every: 0.1, offset: Double(number) / 1_000) {
      [endpoint = endpoint(of: number)] connection, _ in
      if stream == nil {
        stream = Connection(to: endpoint)
        stream?.send("GET \(session)/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        guard stream?.responseHead() == 200 else {
          stream = nil
          return nil
        }
      }
      let response = connection.exchange("POST", session + "/actions", body: increase)
      guard let response, response.status == 200 else { return response }
      // The body of the response is the State, which the event contains as well.
      guard stream?.receive(until: Array("data: ".utf8) + response.body) == true else {
        stream = nil
        return nil
      }
      return response
    }
  }

  private func arrive(client number: Int) {
    let search = Array(#"{"search":"Oslo"}"#.utf8)
    repeatedly(number, .newcomer, every: 0.5, offset: Double(number % 8) / 16) {
      [endpoint = endpoint(of: number)] _, turn in
      let session = "/v1/reactors/weather/sessions/new-\(number)-\(turn)"
      guard let connection = Connection(to: endpoint),
        let made = connection.exchange("PUT", session)
      else { return nil }
      guard made.status == 201 else { return made }
      let found = connection.exchange("POST", session + "/actions", body: search)
      return connection.exchange("DELETE", session) == nil ? nil : found
    }
  }

  private func runProbes() {
    repeatedly(-1, .probe, every: 0.01, offset: 0) { connection, turn in
      connection.exchange("GET", turn % 2 == 0 ? "/healthz" : "/readyz")
    }
  }

  private func repeatedly(
    _ client: Int, _ kind: Sample.Kind, every interval: Double, offset: Double,
    _ exchange: (Connection, Int) -> Connection.Response?
  ) {
    Clock.pause(offset)
    var connection: Connection?
    var due = Clock.now
    var turn = 0
    while !isStopped.load(ordering: .relaxed) {
      let start = Clock.now
      state.withLock { $0.pending[client] = Sample(start: start, time: 0, kind: kind) }
      if connection == nil { connection = Connection(to: endpoint(of: client)) }
      let response = connection.flatMap { exchange($0, turn) }
      let isSuccess = response?.status == 200
      if response == nil { connection = nil }
      let time = isSuccess ? Clock.now - start : .infinity
      state.withLock {
        $0.pending[client] = nil
        $0.samples.append(
          Sample(start: start, time: time, kind: kind, status: response?.status ?? 0))
      }
      turn += 1
      due = max(due + interval, Clock.now - interval)
      Clock.pause(due - Clock.now)
    }
  }
}
