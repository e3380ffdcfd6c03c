internal import ReactorTransport
internal import ReactorCoding

/// The response header fields that clients act on; the raw value is the field's name.
enum OpenAPIHeader: String, CaseIterable {
  case etag = "ETag"
  case heartbeatInterval = "Heartbeat-Interval"
  case link = "Link"
  case location = "Location"
  case preferenceApplied = "Preference-Applied"
  case idempotentReplayed = "Idempotent-Replayed"
  case sessionParameters = "Session-Parameters"
  case streamID = "Stream-Id"
  case allow = "Allow"
  case retryAfter = "Retry-After"
  case rateLimit = "RateLimit"
  case rateLimitPolicy = "RateLimit-Policy"
  case authenticate = "WWW-Authenticate"

  var reference: JSONValue {
    ["$ref": .string("#/components/headers/\(rawValue)")]
  }

  var description: JSONValue {
    let text =
      switch self {
      case .etag: "The cursor of the state, `\"{epoch}-{version}\"`."
      case .heartbeatInterval: "The seconds after which an idle stream sends a comment."
      case .link: "RFC 8288: the next page, as `rel=\"next\"`; absent on the last one."
      case .location: "The address of the new session."
      case .preferenceApplied: "RFC 7240: the preferences that were applied."
      case .idempotentReplayed: "`true` if the response is that of the key's first request."
      case .sessionParameters:
        "The session's parameters as JSON in ASCII; absent if it has none or they exceed 4 KiB."
      case .streamID:
        "The id for `/v1/streams/{stream}/credential`; absent without a credential that names a principal."
      case .allow: "The methods of the resource."
      case .rateLimit: "The remaining requests and the time until the quota is full."
      case .rateLimitPolicy: "The quota of requests per address and its window in seconds."
      case .authenticate: "RFC 6750: the required token."
      case .retryAfter: "The number of seconds after which to retry."
      }
    let schema: JSONValue =
      self == .retryAfter ? ["type": "integer", "minimum": 0] : ["type": "string"]
    return ["description": .string(text), "schema": schema]
  }

  /// Returns the fields of the problems with a status.
  static func ofProblems(_ status: Int) -> [OpenAPIHeader] {
    switch status {
    case 401, 403: [.authenticate]
    case 405: [.allow]
    case 409: [.etag, .idempotentReplayed]
    case 412: [.etag]
    case 429: [.retryAfter, .rateLimit, .rateLimitPolicy]
    case 503: [.retryAfter]
    default: []
    }
  }
}
