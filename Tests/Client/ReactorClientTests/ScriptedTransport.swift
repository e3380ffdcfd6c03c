import ClientCore
import ReactorClient
import Synchronization

/// A transport whose responses a test decides.
///
/// A stream is open immediately, and announces heartbeats once per hour: a stall of the machine is
/// not a silence after which the client opens the stream again.
final class ScriptedTransport: ClientTransport {
  typealias Completion = @Sendable (Result<TransportResponse, Problem>) -> Void

  private struct State: Sendable {
    var requests: [(request: TransportRequest, completion: Completion)] = []
    var stream: (@Sendable (TransportEvent) -> Void)?
  }

  private let state = Mutex(State())
  private let arrivals = AsyncStream<TransportRequest>.makeStream()

  /// The requests in the order of their arrival, streams included.
  var requests: AsyncStream<TransportRequest> { arrivals.stream }

  func send(_ request: TransportRequest, completion: @escaping Completion) {
    state.withLock { $0.requests.append((request, completion)) }
    arrivals.continuation.yield(request)
  }

  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    state.withLock { $0.stream = receive }
    receive(
      .head(
        TransportHead(
          status: 200,
          fields: [("Content-Type", "text/event-stream"), ("Heartbeat-Interval", "3600")])))
    arrivals.continuation.yield(request)
    return ScriptedConnection()
  }

  func close() {}

  /// Removes the oldest request that has no response, which then has none.
  func hold() -> Completion? {
    state.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst().completion }
  }

  /// Responds to the oldest request that has no response.
  func respond(_ status: Int, _ body: String = "", cursor: String? = nil) {
    let next = state.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
    var fields = cursor.map { [(name: "ETag", value: "\"\($0)\"")] } ?? []
    let type = status < 300 ? "application/json" : "application/problem+json"
    if !body.isEmpty { fields.append(("Content-Type", type)) }
    next?.completion(
      .success(
        TransportResponse(TransportHead(status: status, fields: fields), body: Array(body.utf8))))
  }

  /// Sends a State of a session.
  func sendState(_ key: String, _ json: String, _ cursor: String) {
    let id = "\(CompositeID.tag(of: key)).\(cursor)"
    emit(.bytes(Array("event: \(key)\nid: \(id)\ndata: \(json)\n\n".utf8)))
  }

  func emit(_ event: TransportEvent) {
    state.withLock { $0.stream }?(event)
  }
}

private final class ScriptedConnection: TransportConnection {
  func cancel() {}
}
