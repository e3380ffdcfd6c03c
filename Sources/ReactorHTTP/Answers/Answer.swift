internal import ReactorCoding
internal import ReactorHost

/// What the service answers with.
enum Answer {
  static func json(
    _ body: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [("Content-Type", "application/json")] + headers,
      body: .bytes(body))
  }

  /// A value that is made for this answer alone.
  static func json(
    encoding value: some Encodable, status: Int = 200,
    headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    do {
      return json(try JSONCoder.encode(value), status: status, headers: headers)
    } catch {
      return Problem(.unavailable, "The answer could not be written.").response
    }
  }

  /// What is the same until the host is another one: a cache has to ask whether it still is.
  ///
  /// Without the field, caches make up a time for which it holds.
  static let revalidated: [(name: String, value: String)] = [("Cache-Control", "no-cache")]

  /// How the service is at this moment.
  static func status(_ word: String) -> HTTPResponse {
    json(Array(#"{"status":"\#(word)"}"#.utf8), headers: [("Cache-Control", "no-store")])
  }

  /// A state, with its cursor.
  ///
  /// A cache that might keep the answer is told to ask again before it uses it. None keeps that of a
  /// `POST` (RFC 9110, 9.3.3).
  static func state(
    _ state: CommittedState, status: Int = 200, headers: [(name: String, value: String)] = [],
    mayBeKept: Bool = true
  ) -> HTTPResponse {
    // One array, with room for what every answer has; it is made for every action.
    var fields: [(name: String, value: String)] = []
    fields.reserveCapacity(headers.count + 5)
    fields.append(("Content-Type", "application/json"))
    fields.append(("ETag", state.cursor.tag))
    if mayBeKept { fields.append(("Cache-Control", "no-cache")) }
    fields += headers
    return HTTPResponse(status: status, headers: fields, body: .bytes(state.json))
  }

  /// A state in the form that the client prefers, when an action is done or accepted.
  static func state(
    _ state: CommittedState, isAccepted: Bool, as preferences: Preferences
  ) -> HTTPResponse {
    let applied = preferences.applied.map { [(name: "Preference-Applied", value: $0)] } ?? []
    guard preferences.isMinimal else {
      return Self.state(
        state, status: isAccepted ? 202 : 200, headers: applied, mayBeKept: false)
    }
    return HTTPResponse(
      status: isAccepted ? 202 : 204, headers: [("ETag", state.cursor.tag)] + applied)
  }

  /// That the client has this state already, in the form whose tag it sent.
  static func notModified(_ cursor: Cursor, _ known: EntityTags) -> HTTPResponse {
    HTTPResponse(
      status: 304,
      headers: [("ETag", known.tag(of: cursor) ?? cursor.tag), ("Cache-Control", "no-cache")])
  }

  static func html(_ page: [UInt8], headers: [(name: String, value: String)] = []) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-cache")]
        + headers,
      body: .bytes(page))
  }

}
