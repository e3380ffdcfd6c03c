internal import COpenSSL

/// A key that several processes share, for ``SecureChannel``.
@safe
// Proof: the context is not changed after it is created, its reference count is atomic, and the key is only
// read, so that any number of threads may create channels (openssl-threads(7)).
package final class SharedKey: @unchecked Sendable {
  fileprivate let context: OpaquePointer
  private let key: UnsafeMutablePointer<UInt8>

  /// Derives a key from a secret.
  ///
  /// A peer that observes or begins a handshake can try secrets without limit, so a secret must be random.
  ///
  /// - Parameters:
  ///   - secret: The secret, of any length.
  ///   - purpose: A name for what the key protects. The same secret has another key for each purpose.
  /// - Throws: If memory is exhausted, or libssl lacks TLS 1.3.
  package init(_ secret: [UInt8], for purpose: String) throws(SecureChannel.Failure) {
    let bytes = MessageAuthentication.code(for: Array(purpose.utf8), key: secret)
    let key = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    unsafe key.initialize(from: bytes, count: bytes.count)
    guard let context = unsafe reactord_preshared_context(key) else {
      unsafe key.deallocate()
      throw SecureChannel.Failure()
    }
    unsafe (self.key, self.context) = (key, context)
  }

  deinit {
    unsafe SSL_CTX_free(context)
    unsafe OPENSSL_cleanse(key, Int(reactord_key_size))
    unsafe key.deallocate()
  }
}

/// One side of a connection that TLS 1.3 protects with a shared key: both sides prove that they have it.
///
/// The channel has no socket: it converts bytes. Each connection has new keys, so recorded bytes are of no use
/// to a sender that repeats them, and a shared key that becomes known later does not reveal them.
@safe package final class SecureChannel {
  /// An error after which the channel cannot be used: the peer does not have the key, or has sent invalid bytes.
  package struct Failure: Error, Equatable {}

  /// The side that begins the handshake, and the other one.
  package enum Side: Sendable {
    case client, server
  }

  /// The maximum number of bytes of one call of ``receive(_:into:)``.
  package static let chunk = 65_536

  /// Retained, because `tls` retains the context and not its key.
  private let key: SharedKey
  private let tls: OpaquePointer
  /// Owned by `tls`.
  private let input: OpaquePointer
  private let output: OpaquePointer

  private let scratch: UnsafeMutableBufferPointer<UInt8>

  /// Whether the handshake is complete.
  package private(set) var isOpen = false

  /// Whether the peer has announced that it sends nothing more.
  package private(set) var isEnded = false

  /// Creates a channel; that of a client has its first bytes as ``takeOutput(into:)``.
  ///
  /// - Throws: If memory is exhausted.
  package init(_ key: SharedKey, _ side: Side) throws(Failure) {
    guard let tls = unsafe SSL_new(key.context) else { throw Failure() }
    guard let input = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(tls)
      throw Failure()
    }
    guard let output = unsafe BIO_new(BIO_s_mem()) else {
      unsafe BIO_free(input)
      unsafe SSL_free(tls)
      throw Failure()
    }
    unsafe SSL_set_bio(tls, input, output)
    self.key = key
    unsafe scratch = .allocate(capacity: 16_384)
    unsafe (self.tls, self.input, self.output) = (tls, input, output)
    switch side {
    case .client:
      unsafe SSL_set_connect_state(tls)
      // A server that has a certificate and not the key fails, since no authority is trusted.
      unsafe SSL_set_verify(tls, SSL_VERIFY_PEER, nil)
    case .server: unsafe SSL_set_accept_state(tls)
    }
    try shakeHands()
  }

  deinit {
    unsafe SSL_free(tls)
    unsafe scratch.deallocate()
  }

  /// Decrypts bytes of the peer.
  ///
  /// - Parameters:
  ///   - bytes: At most ``chunk`` bytes.
  ///   - plaintext: The decrypted bytes are appended: at most as many as were received, and nothing before
  ///     the peer is authenticated.
  /// - Throws: If the peer does not have the key, or the bytes are not those that it has sent. The output
  ///   then has the alert for the peer.
  package func receive(
    _ bytes: UnsafeBufferPointer<UInt8>, into plaintext: inout [UInt8]
  ) throws(Failure) {
    guard !bytes.isEmpty else { return }
    let count = Int32(clamping: bytes.count)
    guard unsafe BIO_write(input, bytes.baseAddress, count) == count else { throw Failure() }
    if !isOpen { try shakeHands() }
    guard isOpen else { return }
    while true {
      ERR_clear_error()
      let result = unsafe SSL_read(tls, scratch.baseAddress, Int32(scratch.count))
      guard result > 0 else {
        switch unsafe SSL_get_error(tls, result) {
        case SSL_ERROR_WANT_READ: return
        case SSL_ERROR_ZERO_RETURN: return isEnded = true
        default: throw Failure()
        }
      }
      unsafe plaintext.append(contentsOf: scratch[..<Int(result)])
    }
  }

  /// Encrypts bytes for the peer; requires ``isOpen``.
  package func send(_ plaintext: [UInt8]) throws(Failure) {
    guard !plaintext.isEmpty else { return }
    ERR_clear_error()
    var written = 0
    guard isOpen, unsafe SSL_write_ex(tls, plaintext, plaintext.count, &written) == 1 else {
      throw Failure()
    }
  }

  /// Announces that nothing more is sent.
  package func end() {
    if isOpen { _ = unsafe SSL_shutdown(tls) }
    ERR_clear_error()
  }

  /// Appends the bytes for the peer, and removes them from the channel.
  package func takeOutput(into bytes: inout [UInt8]) {
    while true {
      let count = unsafe BIO_read(output, scratch.baseAddress, Int32(scratch.count))
      guard count > 0 else { return }
      unsafe bytes.append(contentsOf: scratch[..<Int(count)])
    }
  }

  private func shakeHands() throws(Failure) {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(tls)
    guard result != 1 else {
      // A handshake without the key would be one with a certificate.
      guard unsafe SSL_session_reused(tls) == 1 else { throw Failure() }
      return isOpen = true
    }
    guard unsafe SSL_get_error(tls, result) == SSL_ERROR_WANT_READ else {
      ERR_clear_error()
      throw Failure()
    }
  }
}
