internal import ReactorTransport

/// The target and the fields of a request.
struct RequestHead: Sendable {
  /// The target.
  var target = RequestTarget()

  /// The fields that the service reads.
  var headers = HTTPRequestHeaders()
}
