internal import CNats

/// Why a connection cannot be opened or used.
public struct NATSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: Equatable, Sendable {
    /// No broker can be reached; a retry may succeed.
    case unreachable

    /// The brokers reject the credentials, or the credentials cannot be read.
    case unauthorized

    /// The broker has ended the handshake with an error, or the server is no broker.
    ///
    /// A broker that waits longer than two seconds for the client reports `Authentication Timeout`, so
    /// a retry may succeed.
    case handshake

    /// An address or an option is invalid.
    case invalid

    /// The message exceeds `max_payload` of the brokers.
    case tooLarge

    /// The connection is closed, or any other failure of the library.
    case failed
  }

  /// The kind of the error.
  public let code: Code

  /// The reason, without a full stop.
  public let description: String

  /// Creates an error.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The error of a status, or `nil` for success.
  init?(_ status: natsStatus) {
    guard status != NATS_OK else { return nil }
    let text = unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) }
    self.init(Self.code(of: status), text ?? "status \(status.rawValue)")
  }

  private static func code(of status: natsStatus) -> Code {
    switch status {
    case NATS_NO_SERVER, NATS_IO_ERROR, NATS_TIMEOUT, NATS_STALE_CONNECTION,
      NATS_CONNECTION_DISCONNECTED, NATS_NOT_YET_CONNECTED:
      .unreachable
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: .unauthorized
    case NATS_PROTOCOL_ERROR, NATS_ERR: .handshake
    case NATS_ADDRESS_MISSING, NATS_INVALID_ARG, NATS_INVALID_SUBJECT, NATS_INVALID_TIMEOUT:
      .invalid
    case NATS_MAX_PAYLOAD: .tooLarge
    default: .failed
    }
  }
}

extension natsStatus {
  /// Throws the error of a status other than success.
  func check() throws(NATSError) {
    if let error = NATSError(self) { throw error }
  }
}
