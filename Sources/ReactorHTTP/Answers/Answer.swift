internal import ReactorCoding
internal import ReactorHost

/// What the service answers with.
enum Answer {
  static func json(
    _ body: [UInt8], status: Int = 200, headers: HTTPFields = [:]
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ofJSON + headers,
      body: .bytes(body))
  }

  /// A value that is made for this answer alone.
  static func json(
    encoding value: some Encodable, status: Int = 200,
    headers: HTTPFields = [:]
  ) -> HTTPResponse {
    do {
      return json(try JSONCoder.encode(value), status: status, headers: headers)
    } catch {
      return Problem(.unavailable, "The answer could not be written.").response
    }
  }

  private static let ofJSON: HTTPFields = ["Content-Type": "application/json"]

  /// What is the same until the host is another one: a cache has to ask whether it still is.
  ///
  /// Without the field, caches make up a time for which it holds.
  static let revalidated: HTTPFields = ["Cache-Control": "no-cache"]

  /// How the service is at this moment.
  static func status(_ word: String) -> HTTPResponse {
    json(Array(#"{"status":"\#(word)"}"#.utf8), headers: ["Cache-Control": "no-store"])
  }

  /// A state, with its cursor.
  ///
  /// A cache that might keep the answer is told to ask again before it uses it. None keeps that of a
  /// `POST` (RFC 9110, 9.3.3).
  static func state(
    _ state: CommittedState, status: Int = 200, headers: HTTPFields = [:],
    mayBeKept: Bool = true
  ) -> HTTPResponse {
    var fields = HTTPFields()
    fields += ofJSON
    fields.appendTag(of: state.cursor)
    if mayBeKept { fields += revalidated }
    fields += headers
    return HTTPResponse(status: status, headers: fields, body: .bytes(state.json))
  }

  /// A state in the form that the client prefers, when an action is done or accepted.
  static func state(
    _ state: CommittedState, isAccepted: Bool, as preferences: Preferences
  ) -> HTTPResponse {
    let applied = preferences.applied.map { ["Preference-Applied": $0] } ?? HTTPFields()
    guard preferences.isMinimal else {
      return Self.state(
        state, status: isAccepted ? 202 : 200, headers: applied, mayBeKept: false)
    }
    return HTTPResponse(
      status: isAccepted ? 202 : 204, headers: ["ETag": state.cursor.tag] + applied)
  }

  /// That the client has this state already, in the form whose tag it sent.
  static func notModified(_ cursor: Cursor, _ known: EntityTags) -> HTTPResponse {
    HTTPResponse(
      status: 304,
      headers: ["ETag": known.tag(of: cursor) ?? cursor.tag, "Cache-Control": "no-cache"])
  }

  static func html(_ page: [UInt8], headers: HTTPFields = [:]) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: ["Content-Type": "text/html; charset=utf-8"] + revalidated + headers,
      body: .bytes(page))
  }

}
