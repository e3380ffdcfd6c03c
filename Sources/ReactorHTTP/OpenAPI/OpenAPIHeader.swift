internal import ReactorCoding

/// The fields of answers that clients act on.
///
/// The raw value is the field's name.
enum OpenAPIHeader: String, CaseIterable {
  case etag = "ETag"
  case link = "Link"
  case location = "Location"
  case preferenceApplied = "Preference-Applied"
  case idempotentReplayed = "Idempotent-Replayed"
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
      case .link: "RFC 8288: the next page, as `rel=\"next\"`; absent on the last one."
      case .location: "The address of the new session."
      case .preferenceApplied: "RFC 7240: which preferences were followed."
      case .idempotentReplayed: "`true` where the answer is the one that the key was given first."
      case .allow: "The methods of the address."
      case .rateLimit: "How many requests are left, and for how long."
      case .rateLimitPolicy: "How many requests an address has in how many seconds."
      case .authenticate: "RFC 6750: which token is needed."
      case .retryAfter: "After how many seconds the request may succeed."
      }
    let schema: JSONValue =
      self == .retryAfter ? ["type": "integer", "minimum": 0] : ["type": "string"]
    return ["description": .string(text), "schema": schema]
  }

  /// The fields that the problems of a status carry.
  static func ofProblems(_ status: Int) -> [OpenAPIHeader] {
    switch status {
    case 401, 403: [.authenticate]
    case 405: [.allow]
    case 412: [.etag]
    case 429: [.retryAfter, .rateLimit, .rateLimitPolicy]
    case 503: [.retryAfter]
    default: []
    }
  }
}
