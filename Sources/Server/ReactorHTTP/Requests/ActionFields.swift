internal import ReactorLog
internal import ReactorTransport

/// The header fields of a request with actions, checked.
struct ActionFields: Sendable {
  let preferences: Preferences
  /// The cursors of `If-Match`, or `nil` for any.
  let expected: [Cursor]?
  /// The value of `Idempotency-Key`, or `nil` without one.
  let key: String?

  /// Reads the fields of a request.
  ///
  /// - Throws: The problem of the first field that is wrong: `Accept`, `Content-Type`, `If-Match`,
  ///   `Idempotency-Key`.
  init(_ request: HTTPRequest) throws(Problem) {
    try request.negotiate()
    try request.requireJSON()
    preferences = Preferences(request[header: .prefer])
    expected = try EntityTags(of: request, in: .ifMatch, name: "If-Match")?.cursors
    key = try IdempotencyKeys.read(request)
  }
}
