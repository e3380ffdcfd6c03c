internal import ReactorCoding
internal import ReactorLog
internal import ReactorTransport

/// `If-Match` and `If-None-Match` of a request that changes a session or a global (RFC 9110, 13.2.2).
struct Preconditions: Sendable {
  private let match: EntityTags?
  private let noneMatch: EntityTags?

  /// Reads the fields of a request.
  ///
  /// - Throws: The problem of a malformed field.
  init(of request: HTTPRequest) throws(Problem) {
    match = try EntityTags(of: request, in: .ifMatch, name: "If-Match")
    noneMatch = try EntityTags(of: request, in: .ifNoneMatch, name: "If-None-Match")
  }

  /// Whether the request may not create what it addresses: `If-Match`.
  var requireExistence: Bool { match != nil }

  /// Whether the request is executed at a cursor.
  func hold(at cursor: Cursor) -> Bool {
    if let cursors = match?.cursors, !cursors.contains(cursor) { return false }
    return noneMatch?.contains(cursor.description) != true
  }

  /// Returns the problem of a request whose preconditions do not hold.
  ///
  /// - Parameters:
  ///   - name: What the request addresses.
  ///   - cursor: The current cursor, or `nil` if nothing exists at the address.
  /// - Returns: The problem.
  static func problem(_ name: String, at cursor: Cursor?) -> Problem {
    guard let cursor else {
      return Problem(
        .versionMismatch,
        "The \(name) does not exist, so that no tag of If-Match is current. Omit If-Match to create it."
      )
    }
    return Problem(
      .versionMismatch,
      "The \(name) is at \(cursor), which If-Match or If-None-Match excludes. Nothing was changed.",
      headers: ["ETag": cursor.tag])
  }

  /// The problem of a request with a precondition to an address that evaluates none.
  static let unsupported = Problem(
    .invalidParameter,
    """
    Requests to this address are executed without preconditions. Omit If-Match and If-None-Match; actions, and PUT of a \
    session or global, take them.
    """, members: [.init("parameter", "If-Match")])
}
