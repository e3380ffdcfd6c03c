internal import Crypto

/// A client's name for a request: a repetition with the same key is not executed again.
public struct IdempotencyKey: Hashable, Sendable {
  /// The name chosen by the client, unique within a session.
  public let name: String

  /// The SHA-256 of the request's body, in hexadecimal; a retry has the same.
  public let body: String

  /// How long the outcome of a key is retained unless it is configured.
  public static let retention = Duration.seconds(86_400)

  /// Creates a key for a request.
  public init(_ name: String, for body: [UInt8]) {
    self.init(stored: name, body: SHA256.hexadecimal(of: body))
  }

  /// Restores a stored key.
  public init(stored name: String, body: String) {
    self.name = name
    self.body = body
  }
}
