internal import Glibc
internal import Synchronization

/// The value of the field `Authorization`, with the credential that the responder has verified in it.
///
/// A transport passes the same object as long as the requests of a connection have the same value,
/// byte for byte. So the responder verifies the value of a persistent connection once, and stores
/// the result in ``credential``. All bytes are compared, and only with a value of the same
/// connection: neither a collision of hashes nor another client can make an unverified value count
/// as verified.
package final class AuthorizationField: Sendable {
  /// The longest value that a transport retains between requests, in bytes.
  package static let retainedSize = 4096

  /// The value, in ASCII.
  package let value: String

  private let verified = Mutex<(any VerifiedCredential)?>(nil)

  /// Creates a field.
  ///
  /// - Parameter value: The value, in ASCII.
  package init(_ value: String) {
    self.value = value
  }

  /// The credential that the responder has verified in the value, or `nil` at first.
  ///
  /// The responder checks with each request whether it is still valid. Any thread may access it.
  package var credential: (any VerifiedCredential)? {
    get { verified.withLock { $0 } }
    set { verified.withLock { $0 = newValue } }
  }

  /// Returns the field of the connection's previous request if the value consists of the same
  /// bytes; otherwise a new one.
  package static func make(
    _ bytes: UnsafeBufferPointer<UInt8>, orSame former: AuthorizationField?
  ) -> AuthorizationField {
    if let former, unsafe former.consists(of: bytes) { return former }
    return unsafe AuthorizationField(String(asciiFrom: bytes))
  }

  private func consists(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe WireText(value).withUTF8 { own in
      guard own.count == bytes.count, let first = own.baseAddress, let other = bytes.baseAddress
      else { return false }
      return unsafe memcmp(first, other, own.count) == 0
    }
  }
}

/// A credential as its responder represents it.
package protocol VerifiedCredential: AnyObject, Sendable {}
