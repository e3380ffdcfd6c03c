/// What a client names a request by, so that it may send it again without doing it again.
public struct IdempotencyKey: Hashable, Sendable {
  /// The name, as the client chose it: unique within a session.
  public let name: String

  /// The SHA-256 of the request's body, in hexadecimal: what tells a retry from another request.
  public let body: String

  /// Names a request.
  public init(_ name: String, for body: [UInt8]) {
    self.init(stored: name, body: SHA256.hexadecimal(of: body))
  }

  /// A name that was stored.
  public init(stored name: String, body: String) {
    self.name = name
    self.body = body
  }
}
