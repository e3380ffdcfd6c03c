import Foundation
import Synchronization
import Testing

/// Clients that post to sessions at any node of a cluster, and streams of these sessions, while nodes and
/// brokers fail.
final class ClusterLoad: Sendable {
  /// The actions of one client without an idempotency key.
  struct Count: Sendable {
    /// Responses with 200.
    var acknowledged = 0
    /// Lost connections, and 503 with an unknown outcome.
    var undetermined = 0
  }

  private struct State {
    /// The actions with a key that have succeeded, per client.
    var keyed: [Int]
    var plain: [Count]
    /// The versions that each stream has shown.
    var streamed: [[Int]]
    /// The number of threads that have not ended.
    var running: Int
    var problems: [String] = []
  }

  private let cluster: NodeCluster
  private let state: Watched<State>
  private let isOver = Atomic(false)

  /// Starts clients and streams.
  init(_ cluster: NodeCluster, clients: Int) throws {
    self.cluster = cluster
    state = Watched(
      State(
        keyed: Array(repeating: 0, count: clients),
        plain: Array(repeating: Count(), count: clients),
        streamed: Array(repeating: [], count: clients), running: 2 * clients))
    for index in 0..<clients {
      #expect(try cluster.clients(of: "counter", "keyed-\(index)")[0].put().status == 201)
      Thread.detachNewThread { [self] in run { self.post(index) } }
      Thread.detachNewThread { [self] in run { self.stream(index) } }
    }
  }

  /// The actions with a key that have succeeded.
  var progress: [Int] { state.current.keyed }

  /// Ends the load: waits until each action has succeeded, and each stream has shown the last version.
  func finish() throws {
    isOver.store(true, ordering: .releasing)
    let ended: Void? = state.first(within: Connection.timeout) { $0.running == 0 ? () : nil }
    try #require(ended != nil, "\(state.current)")
    #expect(state.current.problems.isEmpty)
  }

  /// Compares the sessions with the responses.
  func check() throws {
    let result = state.current
    for index in result.keyed.indices {
      let states = try cluster.clients(of: "counter", "keyed-\(index)").map { try $0.state() }
      for state in states {
        #expect(try state.json["value"]?.int == result.keyed[index])
        #expect(state["ETag"] == states[0]["ETag"])
      }
      let streamed = result.streamed[index]
      #expect(streamed.last == states[0].cursor?.version)
      #expect(zip(streamed, streamed.dropFirst()).allSatisfy { $0 < $1 }, "\(streamed)")
      let count = result.plain[index]
      let value = try cluster.clients(of: "counter", "plain-\(index)")[0].state().json["value"]?.int
      let range = count.acknowledged...(count.acknowledged + count.undetermined)
      #expect(range.contains(value ?? -1), "\(String(describing: value)) is not in \(range)")
    }
  }

  private func run(_ body: () -> Void) {
    body()
    state.change { $0.running -= 1 }
  }

  private func report(_ problem: String) {
    state.change { $0.problems.append(problem) }
  }

  /// A client of a session at any node.
  private func session(_ id: String) -> SessionClient? {
    cluster.nodes.randomElement().map {
      SessionClient($0.client(), "/v1/reactors/counter/sessions/\(id)")
    }
  }

  // MARK: Clients

  private func post(_ index: Int) {
    var number = 0
    while !isOver.load(ordering: .acquiring) {
      number += 1
      guard repeatUntilDone(index, number) else { return }
      postOnce(index)
    }
  }

  /// Repeats an action with its key, at any node, until it has succeeded.
  private func repeatUntilDone(_ index: Int, _ number: Int) -> Bool {
    let key = ["Idempotency-Key": "\"\(index)-\(number)\""]
    while true {
      switch try? session("keyed-\(index)")?.post(#""increase""#, key).status {
      case 200:
        state.change { $0.keyed[index] += 1 }
        return true
      // The connection was lost, the cluster is not available, or the former request is being executed.
      case nil, 503, 409: usleep(20_000)
      case let status?:
        report("an action with a key has \(status)")
        return false
      }
    }
  }

  private func postOnce(_ index: Int) {
    do {
      guard let response = try session("plain-\(index)")?.post(#""increase""#) else { return }
      let isUnknown = try response.status == 503 && response.json["outcome"] == "unknown"
      switch response.status {
      case 200: state.change { $0.plain[index].acknowledged += 1 }
      case 503: if isUnknown { state.change { $0.plain[index].undetermined += 1 } }
      default: report("an action has \(response.status): \(response.text)")
      }
    } catch WireError.notConnected {
      usleep(20_000)
    } catch {
      state.change { $0.plain[index].undetermined += 1 }
    }
  }

  // MARK: Streams

  /// Follows a session at one node after the other.
  private func stream(_ index: Int) {
    var last: String?
    while !hasEnded(index) {
      guard let node = cluster.nodes.randomElement() else { continue }
      do {
        let stream = try EventStream(
          port: node.port, "/v1/reactors/counter/sessions/keyed-\(index)/events",
          last.map { ["Last-Event-ID": $0] } ?? [:])
        while !hasEnded(index), let event = try stream.nextEvent(within: .seconds(1)) {
          guard let id = event.id, let cursor = event.cursor else { continue }
          last = id
          state.change { $0.streamed[index].append(cursor.version) }
        }
      } catch {
        usleep(20_000)
      }
    }
  }

  /// Whether the client has ended, and the stream has shown the last of its actions.
  private func hasEnded(_ index: Int) -> Bool {
    guard isOver.load(ordering: .acquiring) else { return false }
    let current = state.current
    guard current.problems.isEmpty else { return true }
    // The threads of streams remain.
    return current.running <= current.keyed.count
      && current.streamed[index].last == current.keyed[index]
  }
}
