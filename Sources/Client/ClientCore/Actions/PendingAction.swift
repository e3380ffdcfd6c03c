/// An action that has no final response yet.
package struct PendingAction: Sendable, Hashable {
  /// When a response is final.
  package enum Expectation: String, Sendable, Hashable {
    /// The action is durable and will be executed.
    case accepted

    /// The mutations that the action causes synchronously are committed.
    case committed

    /// Its effects have ended.
    case effects

    /// Its effects have ended, or the time to wait for them has passed.
    case limited
  }

  /// Identifies the action in its session's queue.
  package var id: UInt64

  /// The idempotency key, the same for every attempt.
  package var key: String

  /// The JSON of the action.
  package var body: [UInt8]

  /// When the response is final.
  package var expectation: Expectation

  /// The cursor at which the session must be, or `nil` for any.
  package var condition: SessionCursor?

  /// Whether the response contains the State.
  package var wantsState: Bool

  /// Whether a caller waits for the response.
  package var isAwaited: Bool

  /// The time to wait for the effects, in seconds, for ``Expectation/limited``, or `nil` for the
  /// server's default.
  package var wait: Int?

  /// Creates an action.
  package init(
    id: UInt64, key: String, body: [UInt8], expecting expectation: Expectation,
    condition: SessionCursor? = nil, wantsState: Bool = false,
    isAwaited: Bool = true, wait: Int? = nil
  ) {
    self.id = id
    self.key = key
    self.body = body
    self.expectation = expectation
    self.condition = condition
    self.wantsState = wantsState
    self.isAwaited = isAwaited
    self.wait = wait
  }

  /// The longest wait for effects in one request, in seconds; then the request is repeated.
  private static let longestWait = 50

  /// The time without a byte of the response after which an attempt is repeated.
  ///
  /// Short, since a repetition is safe, and since `URLSession` does not always notice that a connection
  /// was closed before the response.
  private static let shortTimeout = Duration.seconds(5)

  /// The time that the server may need for an action whose effects it awaits.
  private static let longTimeout = Duration.seconds(120)

  private var timeout: Duration {
    switch expectation {
    case .accepted, .committed: Self.shortTimeout
    case .effects: .seconds(Self.longestWait + 30)
    case .limited: wait.map { .seconds($0 + 30) } ?? Self.longTimeout
    }
  }

  /// The request of one attempt.
  package func request(path: String) -> TransportRequest {
    var preferences =
      switch expectation {
      case .accepted: ["respond-async"]
      // With 0 the server does not wait for effects: it responds with 202 while an effect is
      // running, else with the outcome.
      case .committed: ["wait=0"]
      case .effects: ["wait=\(Self.longestWait)"]
      case .limited: wait.map { ["wait=\($0)"] } ?? []
      }
    if !wantsState { preferences.append("return=minimal") }
    var fields: [TransportRequest.Field] = [
      .init("Accept", "application/json"), .init("Content-Type", "application/json"),
      .init("Idempotency-Key", key),
    ]
    if !preferences.isEmpty {
      fields.append(.init("Prefer", preferences.joined(separator: ", ")))
    }
    if let condition { fields.append(.init("If-Match", "\"\(condition)\"")) }
    return TransportRequest(
      "POST", path + "/actions", fields: fields, body: body, timeout: timeout)
  }
}
