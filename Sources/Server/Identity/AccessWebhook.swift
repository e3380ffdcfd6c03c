package import Crypto
internal import ReactorCoding
package import ReactorCore
package import Shares

/// A server that decides on requests about sessions, after the rules (`auth.webhook`).
///
/// All methods may be called on any thread, and do not block.
package protocol AccessWebhook: AnyObject, Sendable {
  /// Returns the decision on a request, and sends a question if there is none that is valid for long enough.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - time: The decision must be valid after this time, in seconds since 1970.
  ///   - now: The time in seconds since 1970.
  ///   - account: The account of the client's address, which the question is counted for.
  /// - Returns: The decision.
  func decision(
    on question: AccessQuestion, endingAfter time: Int64, at now: Int64, for account: Account?
  ) -> AccessDecision

  /// Returns whether a request is known to be permitted or not, or `nil` without a valid decision; sends nothing.
  func known(_ question: AccessQuestion, at now: Int64) -> Bool?
}

/// The decision of a webhook on a request.
package enum AccessDecision: Sendable {
  /// The request is permitted or not, until a time in seconds since 1970.
  case decided(isAllowed: Bool, until: Int64)

  /// The question was sent: wait for its response.
  case pending(PendingAccess)

  /// The webhook does not respond, or not as it should: no client is let in.
  case unavailable

  /// The client has its share of this number of questions without a response.
  case beyondShare(of: Int)

  /// Returns the decision in the response of a webhook, or `nil` for another text.
  package static func isAllowed(in response: [UInt8]) -> Bool? {
    if case .boolean(let isAllowed)? = StrictObject(response)?.claims["allow"] {
      isAllowed
    } else {
      nil
    }
  }
}

/// A question to a webhook, of which the response has not arrived yet.
package final class PendingAccess: Sendable {
  private let answer: Task<AccessDecision, Never>

  /// Creates the question of a task, which takes seconds at most.
  package init(_ answer: Task<AccessDecision, Never>) { self.answer = answer }

  /// Waits for the decision, which is not pending.
  package func decision() async -> AccessDecision { await answer.value }
}

/// The question to a webhook whether a principal may use a session.
package struct AccessQuestion: Sendable {
  /// The question as JSON, the same bytes for the same question.
  package let body: [UInt8]

  /// The digest of the JSON.
  package let digest: SHA256.Digest

  /// The size above which no question is sent, in bytes.
  package static let sizeLimit = 65_536

  /// Creates a question, or returns `nil` for one that is too large.
  ///
  /// - Parameters:
  ///   - principal: The principal, or `nil` for an anonymous request.
  ///   - right: The right.
  ///   - reactor: The name of the session's reactor.
  ///   - session: The id of the session.
  ///   - actions: The names of the actions; empty for a request without actions.
  package init?(
    _ principal: Principal?, _ right: Right, _ reactor: String, _ session: String,
    actions: [String] = []
  ) {
    var members: [JSONValue.Member] = [
      .init("principal", principal.map { .string($0.id) } ?? .null),
      .init("claims", principal?.claims.json ?? .null), .init("right", .string(right.name)),
      .init("reactor", .string(reactor)), .init("session", .string(session)),
    ]
    if !actions.isEmpty { members.append(.init("actions", .array(actions.map { .string($0) }))) }
    body = JSONValue.object(members).bytes
    guard body.count <= Self.sizeLimit else { return nil }
    digest = unsafe body.withUnsafeBufferPointer { unsafe SHA256.Digest(of: $0) }
  }
}
