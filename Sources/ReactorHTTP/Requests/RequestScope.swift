/// What is known of a request from its beginning to its answer.
struct RequestScope: Sendable {
  /// The address that was asked; `nil` for what is none.
  var address: Address?
  var method = "other"

  init() {}

  init(_ request: HTTPRequest, _ address: Address?) {
    self.address = address
    method = request.method
  }
}
