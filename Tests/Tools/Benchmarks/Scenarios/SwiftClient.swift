import ClientCore
import Foundation
import ReactorClient
import Reactors

extension Scenario {
  /// The cost of the Swift client.
  static var swiftClient: Scenario {
    Scenario(
      name: "swift-client", summary: "the Swift client: sends, States consumed, memory",
      isPartOfAll: false
    ) { bench in
      try await sends(bench)
      try statesConsumed(bench)
      try memory(bench)
    }
  }

  /// Sequential sends on one connection, compared with wrk with one connection.
  private static func sends(_ bench: Bench) async throws {
    let contestant = Contestants(bench: bench).memory
    var wrk: [Double] = []
    var own: [Double] = []
    for _ in 0..<bench.rounds {
      let server = try contestant.start()
      wrk.append(
        try PostLoad.run(contestant, server, connections: 1, seconds: bench.seconds).rate)
      guard let url = URL(string: "http://127.0.0.1:\(server.port)") else { continue }
      let client = ReactorServer(
        transport: ReactorServer.transport(for: url, connections: 1))
      let counter = client.reactor(CounterReactor.self, "counter", session: "sent")
      own.append(try await rate(of: counter, bench.seconds))
    }
    bench.report(
      Figure(
        load: "1 connection", contestant: "wrk", unit: "responses/s", value: Sample(wrk)))
    bench.report(
      Figure(
        load: "1 connection", contestant: "Swift client", unit: "responses/s", value: Sample(own),
        ratio: .init(to: "wrk", value: Sample(own, dividedBy: wrk)), aim: .atLeast(0.5)))
  }

  /// Returns the sends per second of a caller that is not on the main actor, like a server.
  ///
  /// A caller on the main actor is resumed through a third thread.
  @concurrent private static func rate(
    of counter: RemoteReactor<CounterReactor>, _ seconds: Double
  ) async throws -> Double {
    for _ in 0..<100 { try await counter.send(.increase) }
    let start = ContinuousClock.now
    var count = 0.0
    while ContinuousClock.now - start < .seconds(seconds) {
      try await counter.send(.increase)
      count += 1
    }
    return count / ((ContinuousClock.now - start) / .seconds(1))
  }

  private struct Row: Codable { var id: Int, text: String }

  private struct Table: Codable { var rows: [Row], changes: Int }

  /// Patches of a State of 2 KB, from bytes to the decoded State, on one thread.
  private static func statesConsumed(_ bench: Bench) throws {
    let key = "table/a"
    let tag = CompositeID.tag(of: key)
    let rows = (0..<50).map { Row(id: $0, text: "the text of row \($0)") }
    let first = try JSONEncoder().encode(Table(rows: rows, changes: 0))
    let rates = try (0..<bench.rounds).map { _ in
      var machine = StreamMachine(capacity: 1)
      _ = machine.join(key, now: .zero)
      _ = machine.wake(now: .seconds(1))
      let head = TransportHead(status: 200, fields: [("content-type", "text/event-stream")])
      _ = machine.opened(stream: 1, head, now: .zero)
      let opening = "event: \(key)\nid: \(tag).k-0\ndata: " + String(decoding: first, as: UTF8.self)
      _ = machine.received(stream: 1, Array((opening + "\n\n").utf8)[...], now: .zero)
      let start = ContinuousClock.now
      var count = 0
      while ContinuousClock.now - start < .seconds(bench.seconds) {
        count += 1
        let patch = #"[{"op":"replace","path":"/changes","value":\#(count)}]"#
        let data = #"{"session":"\#(key)","data":\#(patch)}"#
        let event = "event: patch\nid: \(tag).k-\(count)\ndata: \(data)\n\n"
        for output in machine.received(stream: 1, Array(event.utf8)[...], now: .zero) {
          guard case .update(_, .state(let state)) = output else { continue }
          guard try state.json.decode(Table.self).changes == count else {
            throw BenchmarkError("a patch was not applied")
          }
        }
      }
      return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }
    bench.report(
      Figure(
        load: "patches of 2 KB", contestant: "Swift client", unit: "States/s",
        value: Sample(rates), aim: .atLeast(10_000)))
  }

  /// The memory of reactors that are observed and have a State; 100 sessions are shared by all of
  /// them.
  private static func memory(_ bench: Bench) throws {
    let count = 10_000
    // Retain the reactors of all rounds, so that no round reuses the memory of an earlier one.
    let bag = DisposeBag()
    var retained: [(ReactorServer, [RemoteReactor<CounterReactor>])] = []
    let values = try (0..<bench.rounds).map { _ in
      var configuration = ClientConfiguration()
      configuration.checksTypes = false
      let client = ReactorServer(transport: StateTransport(), configuration: configuration)
      let arrivals = DispatchSemaphore(value: 0)
      let before = try ResidentMemory.bytes()
      let reactors = (0..<count).map { number in
        client.reactor(CounterReactor.self, "counter", session: "\(number % 100)")
      }
      for reactor in reactors {
        reactor.state.take(1).subscribe(onCompleted: { arrivals.signal() }).disposed(by: bag)
      }
      for _ in reactors { arrivals.wait() }
      let after = try ResidentMemory.bytes()
      retained.append((client, reactors))
      return (after - before) / Double(count)
    }
    withExtendedLifetime(retained) {}
    bench.report(
      Figure(
        load: "observed", contestant: "Swift client", unit: "bytes/reactor",
        value: Sample(values), aim: .atMost(4096)))
  }
}

/// A transport to a server whose streams have one State per session.
private final class StateTransport: ClientTransport, TransportConnection {
  private let queue = DispatchQueue(label: "states")

  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {}

  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let sessions = request.path.split(separator: "&").filter { $0.hasPrefix("session=") }
    let keys = sessions.map { $0.dropFirst(8).replacing("%2F", with: "/") }
    queue.async {
      receive(.head(TransportHead(status: 200, fields: [("Content-Type", "text/event-stream")])))
      for key in keys {
        let id = "\(CompositeID.tag(of: String(key))).k-1"
        let event = "event: \(key)\nid: \(id)\ndata: {\"value\":1}\n\n"
        receive(.bytes(Array(event.utf8)))
      }
    }
    return self
  }

  func close() {}

  func cancel() {}
}
