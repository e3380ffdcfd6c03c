import ClientCore
import CurlTransport

/// The timeout of requests that the server responds to: a stall of the machine ends none of them.
let sharedTimeout = Duration.seconds(3600)

let idempotencyKey = TransportRequest.Field("Idempotency-Key", "k")

func request(
  _ method: String = "GET", _ path: String = "a", fields: [TransportRequest.Field] = [],
  body: String? = nil, timeout: Duration = sharedTimeout
) -> TransportRequest {
  TransportRequest(
    method, path, fields: fields, body: body.map { Array($0.utf8) }, timeout: timeout)
}

extension CurlTransport {
  /// Creates a transport that does not close idle connections.
  convenience init(
    _ server: ScriptedServer, connections: Int = 1, idle: Duration = sharedTimeout,
    total: Duration = sharedTimeout
  ) {
    var limits = Limits()
    limits.idle = idle
    limits.shared = sharedTimeout
    limits.transfers.total = total
    self.init(to: HTTPOrigin(server.address), connections: connections, limits: limits)
  }

  func response(to request: TransportRequest) async -> Result<TransportResponse, Problem> {
    await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
  }

  func body(_ request: TransportRequest) async throws -> String {
    String(decoding: try await response(to: request).get().body, as: UTF8.self)
  }

  func kind(_ request: TransportRequest) async -> Problem.Kind? {
    guard case .failure(let problem) = await response(to: request) else { return nil }
    return problem.kind
  }

  /// Opens a stream and returns its events.
  func events(_ request: TransportRequest) -> AsyncStream<TransportEvent> {
    let events = AsyncStream<TransportEvent>.makeStream()
    let connection = open(request) { event in
      events.continuation.yield(event)
      if case .end = event { events.continuation.finish() }
    }
    events.continuation.onTermination = { _ in connection.cancel() }
    return events.stream
  }
}
