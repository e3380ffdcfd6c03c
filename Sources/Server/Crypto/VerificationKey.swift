internal import COpenSSL

/// A key that verifies signatures: a public key, or a shared secret for HMAC.
///
/// A key verifies only with the algorithms that its type permits, so that a public key can never be
/// taken for a secret (RFC 8725, 3.1).
package struct VerificationKey: Sendable {
  /// The reasons for which a key is rejected.
  package enum Failure: Error, Equatable, Sendable {
    /// The parameters or the encoding are not valid for a key of this type.
    case malformed

    /// The key is of a type or on a curve that no algorithm here uses.
    case unsupported

    /// An RSA modulus has fewer than 2,048 bits, or a secret fewer than 32 bytes.
    case tooShort

    /// The text contains a private key.
    case isPrivate
  }

  private enum Material: Sendable {
    case publicKey(PublicKeyHandle)
    case secret([UInt8])
  }

  private let material: Material

  /// The algorithms that the key can be used with.
  package let algorithms: [SignatureAlgorithm]

  /// A digest of the key, equal for equal keys.
  package let thumbprint: [UInt8]

  /// Creates an HMAC key from a secret of at least 32 bytes.
  ///
  /// An algorithm is permitted if the secret is as long as the digest (RFC 7518, 3.2).
  package init(secret: [UInt8]) throws(Failure) {
    guard secret.count >= 32 else { throw .tooShort }
    material = .secret(secret)
    algorithms = [.hs256, .hs384, .hs512].filter { secret.count >= $0.hash?.digestLength ?? 0 }
    thumbprint = SHA256.digest(of: [0] + secret)
  }

  /// Creates an Ed25519 public key from its 32 bytes (RFC 8032).
  ///
  /// A point whose encoding is not canonical, and a point of small order, whose signatures need no private
  /// key, are rejected.
  package init(ed25519 bytes: [UInt8]) throws(Failure) {
    guard bytes.count == 32 else { throw .malformed }
    try self.init(
      unsafe PublicKeyHandle(
        owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)))
  }

  /// Creates a public key on P-256 or P-384 from the big-endian coordinates of its point.
  ///
  /// A point that is not on the curve is rejected.
  package init(curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(Failure) {
    guard x.count == curve.coordinateLength, y.count == x.count else { throw .malformed }
    try self.init(PublicKeyHandle(curve: curve, point: [4] + x + y))
  }

  /// Creates an RSA public key from its big-endian modulus and exponent.
  package init(modulus: [UInt8], exponent: [UInt8]) throws(Failure) {
    guard !modulus.isEmpty, modulus.count <= 1024, !exponent.isEmpty, exponent.count <= 8 else {
      throw .malformed
    }
    try self.init(PublicKeyHandle(modulus: modulus, exponent: exponent))
  }

  /// Creates a public key from one PEM block, `-----BEGIN PUBLIC KEY-----` (RFC 7468, 13) or
  /// `-----BEGIN CERTIFICATE-----` (RFC 7468, 5).
  ///
  /// A configured certificate is trusted: neither its signature nor its dates are checked.
  package init(pem block: [UInt8]) throws(Failure) {
    guard !block.contains(sequence: Array("PRIVATE KEY".utf8)) else { throw .isPrivate }
    let isCertificate = block.starts(with: "-----BEGIN CERTIFICATE-----".utf8)
    try self.init(PublicKeyHandle(pem: block, isCertificate: isCertificate))
  }

  /// Creates a public key from an X.509 certificate in DER.
  package init(certificate: [UInt8]) throws(Failure) {
    try self.init(PublicKeyHandle(certificate: certificate))
  }

  private init(_ handle: PublicKeyHandle?) throws(Failure) {
    guard let handle else { throw .malformed }
    let algorithms = try handle.algorithms()
    if algorithms == [.edDSA], let bytes = handle.rawBytes, !Ed25519Point.isAcceptable(bytes) {
      throw .malformed
    }
    self.algorithms = algorithms
    thumbprint = try handle.thumbprint()
    material = .publicKey(handle)
  }

  /// Returns whether `signature` is a signature of `message` by this key.
  ///
  /// An algorithm that is not one of ``algorithms`` verifies nothing. Safe to call on any thread.
  package func verifies(
    _ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm
  ) -> Bool {
    guard algorithms.contains(algorithm) else { return false }
    switch material {
    case .secret(let secret):
      guard let hash = algorithm.hash else { return false }
      return MessageAuthentication.isValid(signature, for: message, key: secret, with: hash)
    case .publicKey(let handle):
      return handle.verifies(signature, of: message, with: algorithm)
    }
  }
}

/// The elliptic curves of ES256, ES384 and ES512.
package enum EllipticCurve: String, Sendable {
  case p256 = "P-256"
  case p384 = "P-384"
  case p521 = "P-521"

  /// The length of a coordinate, and of each half of a signature, in bytes.
  package var coordinateLength: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }
}

extension [UInt8] {
  /// Returns whether `sequence` occurs anywhere in the bytes.
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard count >= sequence.count else { return false }
    return (0...(count - sequence.count)).contains {
      self[$0..<$0 + sequence.count].elementsEqual(sequence)
    }
  }
}
