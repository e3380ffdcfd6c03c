/// How the body of a request is delimited, according to its head (RFC 9112, 6).
struct RequestFraming {
  /// The body of a request.
  enum Body: Equatable {
    case length(UInt64)
    case chunked
    /// The fields contradict each other, or the version.
    case invalid
  }

  /// Whether the version is HTTP/1.0, which has neither chunks nor a mandatory `Host`.
  var isHTTP10 = false
  private var length: UInt64?
  private var isChunked = false
  private var hosts = 0

  /// Adds a field.
  ///
  /// - Returns: `false` if it is invalid, or contradicts an earlier one.
  mutating func add(_ field: FieldScanner) -> Bool {
    switch field.kind {
    case .contentLength:
      guard let value = field.number, length ?? value == value else { return false }
      length = value
    case .transferEncoding:
      guard field.isChunked, !isChunked else { return false }
      isChunked = true
    case .host: hosts += 1
    case .cookie, .other: break
    }
    return true
  }

  /// The body that follows the head.
  var body: Body {
    if hosts > 1 || (hosts == 0 && !isHTTP10) { return .invalid }
    guard isChunked else { return .length(length ?? 0) }
    return length == nil && !isHTTP10 ? .chunked : .invalid
  }
}
