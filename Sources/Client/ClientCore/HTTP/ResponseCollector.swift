/// Collects the events of one response.
package struct ResponseCollector: Sendable {
  /// The maximum size of a body.
  private static let bodyLimit = 67_108_864

  private var head: TransportHead?
  private var body: [UInt8] = []
  private var hasEnded = false

  /// Creates a collector without events.
  package init() {}

  /// Adds an event; returns the result with the event that completes it, and `nil` for all others.
  package mutating func receive(
    _ event: TransportEvent
  ) -> Result<TransportResponse, Problem>? {
    guard !hasEnded else { return nil }
    switch event {
    case .head(let head): self.head = head
    case .bytes(let bytes):
      guard body.count + bytes.count <= Self.bodyLimit else { return end(.failure(.tooLarge)) }
      if body.isEmpty { body = bytes } else { body += bytes }
    case .end(let problem?): return end(.failure(problem))
    case .end(nil):
      guard let head else { return end(.failure(.noResponse)) }
      return end(.success(TransportResponse(head, body: body)))
    }
    return nil
  }

  private mutating func end(
    _ result: Result<TransportResponse, Problem>
  ) -> Result<TransportResponse, Problem> {
    hasEnded = true
    body = []
    return result
  }
}

extension Problem {
  /// There is no response.
  package static let noResponse = Problem(
    .unreachable, "The server did not respond",
    "Check the URL of the server. The request is repeated if that is safe.")

  fileprivate static let tooLarge = Problem(
    .notAServer, "The response is too large",
    "A response has at most 64 MiB. Check that the URL is that of a reactord.")
}
