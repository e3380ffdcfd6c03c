internal import ReactorTransport

/// The request methods of the service; all others are equal to it.
enum HTTPMethod: Int, CaseIterable {
  case get, post, put, delete, head, options, other

  init(_ text: WireText) {
    self =
      switch text {
      case "GET": .get
      case "POST": .post
      case "PUT": .put
      case "DELETE": .delete
      case "HEAD": .head
      case "OPTIONS": .options
      default: .other
      }
  }

  /// The name as requests write it, and as metrics and logs label it.
  var name: String {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .head: "HEAD"
    case .options: "OPTIONS"
    case .other: "other"
    }
  }

  /// Whether the method only reads (RFC 9110, 9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options }
}
