import Foundation
import Synchronization
import Testing

/// Clients that enter numbers at any node of a cluster, and streams of their sessions, while nodes
/// and their database fail.
///
/// Each client has three sessions: one for requests with an idempotency key, which are repeated
/// until they succeed; one for requests without a key; and one for actions that are accepted (202)
/// and enter their number later. A client uses one node for several requests, so that sessions move
/// to that node.
final class LedgerLoad: Sendable {
  /// A kind of request, with a session of its own per client.
  enum Kind: String, CaseIterable, Sendable {
    case keyed, plain, later
  }

  /// A session of a client.
  struct Key: Hashable, Sendable {
    let kind: Kind
    let client: Int

    var path: String { "/v1/reactors/ledger/sessions/\(kind)-\(client)" }
  }

  struct Progress: Sendable {
    var records: [Key: LedgerRecord] = [:]
    /// The number of responses of each kind.
    var responses: [String: Int] = [:]
    /// The number of events of all streams.
    var events = 0
    var violations = LedgerViolations()
    /// The first deviations, for the diagnosis.
    var findings: [String] = []
    /// The threads that have not ended.
    var running = 0
  }

  let clients: Int
  let cluster: NodeCluster
  let progress: Watched<Progress>
  private let isOver = Atomic(false)

  /// Starts clients and streams.
  init(_ cluster: NodeCluster, clients: Int) throws {
    self.cluster = cluster
    self.clients = clients
    var start = Progress()
    for client in 0..<clients {
      for kind in Kind.allCases { start.records[Key(kind: kind, client: client)] = LedgerRecord() }
    }
    start.running = (Kind.allCases.count + 1) * clients
    progress = Watched(start)
    for client in 0..<clients {
      for node in cluster.nodes.prefix(1) {
        let session = SessionClient(node.client(), Key(kind: .keyed, client: client).path)
        #expect(try [200, 201].contains(session.put().status))
      }
      for kind in Kind.allCases { detach { self.post(Key(kind: kind, client: client)) } }
      detach { self.stream(client) }
    }
  }

  /// The number of requests with a key that each client has completed.
  var completed: [Int] {
    let records = progress.current.records
    return (0..<clients).map {
      records[Key(kind: .keyed, client: $0)]?.acknowledged.count ?? 0
    }
  }

  /// Ends the load: waits until each request with a key has succeeded, and each stream has shown the last
  /// version.
  func finish() throws {
    isOver.store(true, ordering: .releasing)
    let ended: Void? = progress.first(within: Connection.timeout) { $0.running == 0 ? () : nil }
    progress.change { $0.violations.unresolved += $0.running }
    try #require(ended != nil, "\(progress.current.findings) \(completed)")
  }

  /// Records a deviation.
  func report(
    _ finding: String, _ violation: any WritableKeyPath<LedgerViolations, Int> & Sendable
  ) {
    progress.change {
      $0.violations[keyPath: violation] += 1
      if $0.findings.count < 50 { $0.findings.append(finding) }
    }
  }

  private func detach(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [self] in
      body()
      progress.change { $0.running -= 1 }
    }
  }

  // MARK: Clients

  /// The node that a client uses, and the number of remaining requests to it.
  private struct Choice {
    private var node: ReactordProcess?
    private var remaining = 0

    /// The node of the next request.
    mutating func next(among nodes: [ReactordProcess]) -> ReactordProcess? {
      if remaining == 0 { (node, remaining) = (nodes.randomElement(), .random(in: 1...60)) }
      remaining -= 1
      return node
    }

    /// Selects another node for the next request.
    mutating func leave() { remaining = 0 }
  }

  private func post(_ key: Key) {
    var choice = Choice()
    var number = 0
    while !isOver.load(ordering: .acquiring) {
      number += 1
      switch key.kind {
      case .keyed: repeatUntilDone(key, number, #"{"enter":\#(number)}"#, at: &choice)
      case .plain: postOnce(key, number, at: &choice)
      case .later:
        let time = Int.random(in: 20...2_000)
        let action = #"{"enterLater":{"_0":\#(number),"after":\#(time)}}"#
        repeatUntilDone(key, number, action, ["Prefer": "respond-async"], at: &choice)
        // The pause bounds the number of running effects.
        usleep(50_000)
      }
    }
  }

  /// Repeats a request with its key, at any node, until it has succeeded.
  private func repeatUntilDone(
    _ key: Key, _ number: Int, _ action: String, _ headers: [String: String] = [:],
    at choice: inout Choice
  ) {
    let headers = headers.merging(["Idempotency-Key": "\"\(number)\""]) { $1 }
    while true {
      switch send(key, action, headers, at: &choice) {
      case .success:
        return progress.change { $0.records[key]?.acknowledged.append(number) }
      case .rejected, .undetermined, .notSent, .running: usleep(20_000)
      case .undocumented: return
      }
    }
  }

  private func postOnce(_ key: Key, _ number: Int, at choice: inout Choice) {
    switch send(key, #"{"enter":\#(number)}"#, [:], at: &choice) {
    case .success: progress.change { $0.records[key]?.acknowledged.append(number) }
    case .rejected: progress.change { _ = $0.records[key]?.rejected.insert(number) }
    case .undetermined: progress.change { _ = $0.records[key]?.undetermined.insert(number) }
    case .notSent: usleep(20_000)
    case .undocumented, .running: break
    }
  }

  /// The outcome of a request, as its client knows it.
  private enum Outcome {
    case success
    /// The response states that nothing changed.
    case rejected
    case undetermined
    case notSent
    /// More than 16 repetitions wait for the first request with the same key: this one does not.
    case running
    case undocumented
  }

  private func send(
    _ key: Key, _ action: String, _ headers: [String: String], at choice: inout Choice
  ) -> Outcome {
    guard let node = choice.next(among: cluster.nodes) else { return .notSent }
    let (outcome, name) = result {
      try SessionClient(node.client(), key.path).client.send(
        "POST", key.path + "/actions", headers, json: action, timeout: .seconds(120))
    }
    progress.change { $0.responses[name, default: 0] += 1 }
    if outcome != .success { choice.leave() }
    if outcome == .undocumented { report("\(key.path) \(action): \(name)", \.undocumented) }
    return outcome
  }

  private func result(of request: () throws -> HTTPResponse) -> (Outcome, String) {
    do {
      let response = try request()
      switch response.status {
      case 200, 202: return (.success, "\(response.status)")
      case 409 where response.text.contains("/problems/action-running"):
        return (.running, "409 action-running")
      case 507: return (.rejected, "507")
      case 503 where response["Retry-After"] != nil:
        let isUnknown = try response.json["outcome"] == "unknown"
        return isUnknown ? (.undetermined, "503 outcome unknown") : (.rejected, "503")
      default: return (.undocumented, "\(response.status) \(response.text)")
      }
    } catch WireError.notConnected {
      return (.notSent, "not connected")
    } catch WireError.timedOut {
      return (.undocumented, "no response within 120 s")
    } catch {
      return (.undetermined, "connection lost")
    }
  }

  // MARK: Streams

  /// Follows a session at changing nodes.
  private func stream(_ client: Int) {
    var last: Cursor?
    while !hasEnded(client, last) {
      guard let node = cluster.nodes.randomElement() else { continue }
      do {
        let stream = try EventStream(
          port: node.port, Key(kind: .keyed, client: client).path + "/events",
          last.map { ["Last-Event-ID": "\($0)"] } ?? [:])
        while !hasEnded(client, last), let event = try stream.nextEvent(within: .seconds(1)) {
          if event.event == "reset" {
            report("stream \(client): reset, not version \(last?.version ?? 0)", \.disordered)
          }
          guard let cursor = event.cursor else { continue }
          try check(event, cursor, after: last, client)
          last = cursor
          progress.change { $0.events += 1 }
        }
      } catch {
        usleep(20_000)
      }
    }
  }

  /// Checks the State of an event: request n enters the number n.
  private func check(
    _ event: ServerSentEvent, _ cursor: Cursor, after last: Cursor?, _ client: Int
  ) throws {
    if let last, last.epoch != cursor.epoch || last.version >= cursor.version {
      report("stream \(client): \(cursor) follows \(last)", \.disordered)
    }
    let expected = (count: cursor.version, sum: cursor.version * (cursor.version + 1) / 2)
    guard try event.json["count"]?.int != expected.count || event.json["sum"]?.int != expected.sum
    else { return }
    report("stream \(client): \(cursor) has \(event.data ?? "")", \.disordered)
  }

  /// Whether the clients have ended, and the stream has shown the State after the last request.
  private func hasEnded(_ client: Int, _ last: Cursor?) -> Bool {
    guard isOver.load(ordering: .acquiring) else { return false }
    let current = progress.current
    guard current.findings.isEmpty else { return true }
    // Only the threads of the streams may still be running.
    guard current.running <= clients else { return false }
    let count = current.records[Key(kind: .keyed, client: client)]?.acknowledged.count
    return (last?.version ?? 0) == count
  }
}
