/// An action that has no final response yet.
package struct PendingAction: Sendable, Hashable {
  /// When a response is final.
  package enum Expectation: String, Sendable, Hashable {
    /// The action is durable; its effects run.
    case accepted

    /// The mutations that the action causes at once are committed.
    case committed

    /// Its effects have ended.
    case effects
  }

  /// Identifies the action in its session's queue.
  package var id: UInt64

  /// The idempotency key, the same for every attempt.
  package var key: String

  /// The JSON of the action.
  package var body: [UInt8]

  /// When the response is final.
  package var expectation: Expectation

  /// The cursor at which the session must be; `nil` for any.
  package var condition: SessionCursor?

  /// Whether the response contains the State.
  package var wantsState: Bool

  /// Creates an action.
  package init(
    id: UInt64, key: String, body: [UInt8], expecting expectation: Expectation,
    condition: SessionCursor? = nil, wantsState: Bool = false
  ) {
    self.id = id
    self.key = key
    self.body = body
    self.expectation = expectation
    self.condition = condition
    self.wantsState = wantsState
  }

  /// The longest wait for effects in one request, in seconds; then the request is repeated.
  private static let longestWait = 50

  /// The time without a byte of the response after which an attempt is repeated.
  ///
  /// Short, since a repetition is safe, and since `URLSession` on Linux does not notice that a connection
  /// that it used again is closed before the response.
  private static let shortTimeout = Duration.seconds(5)

  /// The request of one attempt.
  package func request(path: String) -> TransportRequest {
    var preference =
      switch expectation {
      case .accepted: "respond-async"
      // 0: an action whose effect continues gets 202 at once, any other its outcome.
      case .committed: "wait=0"
      case .effects: "wait=\(Self.longestWait)"
      }
    if !wantsState { preference += ", return=minimal" }
    var fields: [TransportRequest.Field] = [
      .init("Accept", "application/json"), .init("Content-Type", "application/json"),
      .init("Idempotency-Key", key), .init("Prefer", preference),
    ]
    if let condition { fields.append(.init("If-Match", "\"\(condition)\"")) }
    return TransportRequest(
      "POST", path + "/actions", fields: fields, body: body,
      timeout: expectation == .effects ? .seconds(Self.longestWait + 30) : Self.shortTimeout)
  }
}
