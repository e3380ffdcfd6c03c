import Foundation
import Synchronization
import Testing

/// Clients behind a load balancer that repeat a request only if HTTP and the contract allow it.
///
/// A request without a key uses a connection of its own. It is repeated if it was not sent, and
/// after a 503 with `Retry-After`, which states that nothing has changed. A request with a key uses
/// the connection of the previous request, and is repeated after the loss of the connection as
/// well.
final class RestartLoad: Sendable {
  struct Progress: Sendable {
    /// The number of requests of each client that have succeeded.
    var completed: [Int]
    /// The number of responses with 503 and `Retry-After`.
    var postponed = 0
    /// The requests that have failed, and events that are not in order.
    var failures: [String] = []
    /// The threads that have not ended.
    var running: Int
  }

  /// The number of clients.
  ///
  /// Every second one uses keys.
  private static let clients = 4

  private let port: UInt16
  private let progress: Watched<Progress>
  private let isOver = Atomic(false)

  /// Starts clients that connect to a port.
  init(port: UInt16) {
    self.port = port
    progress = Watched(
      Progress(
        completed: Array(repeating: 0, count: Self.clients), running: 2 * Self.clients))
    for index in 0..<Self.clients {
      Thread.detachNewThread { [self] in
        post(index)
        progress.change { $0.running -= 1 }
      }
      Thread.detachNewThread { [self] in
        stream(index)
        progress.change { $0.running -= 1 }
      }
    }
  }

  /// Waits until each client has succeeded several times.
  func waitForProgress() throws {
    let before = progress.current.completed
    let hasProgressed: Void? = progress.first(within: Connection.timeout) { current in
      let isDone = zip(before, current.completed).allSatisfy { $0 + 5 <= $1 }
      return isDone || !current.failures.isEmpty ? () : nil
    }
    try #require(hasProgressed != nil)
    try #require(progress.current.failures.isEmpty)
  }

  /// Ends the clients, and checks that no request failed and that each was executed once.
  func finish() throws {
    isOver.store(true, ordering: .releasing)
    let ended: Void? = progress.first(within: Connection.timeout) { $0.running == 0 ? () : nil }
    try #require(ended != nil)
    let result = progress.current
    #expect(result.failures.isEmpty)
    for (index, count) in result.completed.enumerated() {
      let state = try SessionClient(HTTPClient(port: port), path(index)).state()
      #expect(try state.json == ["count": .number(Double(count)), "sum": sum(of: count)])
      #expect(state.cursor?.version == count)
    }
    print("requests: \(result.completed.reduce(0, +)), none failed; 503: \(result.postponed)")
  }

  private func path(_ index: Int) -> String { "/v1/reactors/ledger/sessions/restart-\(index)" }

  /// The sum of the numbers of the first `count` requests.
  private func sum(of count: Int) -> JSON { .number(Double(count * (count + 1) / 2)) }

  private func fail(_ reason: String) { progress.change { $0.failures.append(reason) } }

  private func post(_ index: Int) {
    let usesKeys = index % 2 == 1
    var client = HTTPClient(port: port)
    var number = 1
    while !isOver.load(ordering: .acquiring) {
      if !usesKeys { client = HTTPClient(port: port) }
      let headers = usesKeys ? ["Idempotency-Key": "\"\(number)\""] : [:]
      do {
        let response = try client.send(
          "POST", path(index) + "/actions", headers, json: #"{"enter":\#(number)}"#)
        if response.status == 200 {
          progress.change { $0.completed[index] = number }
          number += 1
        } else if !canRepeat(response, usesKeys) {
          return fail("\(response.status) \(response.text)")
        }
      } catch WireError.notConnected {
        usleep(20_000)
      } catch {
        // The balancer may have connected the client to a service that has just ended.
        guard usesKeys else { return fail("a request without a key: \(error)") }
        usleep(20_000)
      }
    }
  }

  /// Whether a request can be repeated.
  ///
  /// Waits for the time that a 503 specifies: its request has changed nothing, unless the outcome
  /// is unknown.
  private func canRepeat(_ response: HTTPResponse, _ usesKeys: Bool) -> Bool {
    guard response.status == 503, let time = response["Retry-After"].flatMap({ UInt32($0) })
    else { return response.status == 409 && usesKeys }
    let isUnknown = (try? response.json["outcome"]) == "unknown"
    guard usesKeys || !isUnknown else { return false }
    progress.change { $0.postponed += 1 }
    sleep(time)
    return true
  }

  /// Follows a session, and opens a new connection whenever one ends.
  private func stream(_ index: Int) {
    var last: Cursor?
    while !hasEnded(index, last) {
      do {
        let stream = try EventStream(
          port: port, path(index) + "/events", last.map { ["Last-Event-ID": "\($0)"] } ?? [:])
        while !hasEnded(index, last), let event = try stream.nextEvent(within: .seconds(1)) {
          guard let cursor = event.cursor else { continue }
          if let last, last.epoch != cursor.epoch || last.version >= cursor.version {
            return fail("\(cursor) follows \(last)")
          }
          guard try event.json["sum"] == sum(of: cursor.version) else {
            return fail("\(cursor) has \(event.data ?? "")")
          }
          last = cursor
        }
      } catch {
        usleep(20_000)
      }
    }
  }

  /// Whether the clients have ended, and the stream has shown the State after the last request.
  private func hasEnded(_ index: Int, _ last: Cursor?) -> Bool {
    guard isOver.load(ordering: .acquiring) else { return false }
    let current = progress.current
    guard current.failures.isEmpty else { return true }
    return current.running <= Self.clients && last?.version == current.completed[index]
  }
}
