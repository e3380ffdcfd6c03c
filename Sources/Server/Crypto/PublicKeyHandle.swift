internal import COpenSSL

/// A public key of libcrypto.
///
// Proof: an EVP_PKEY is not changed after it is created, its reference count is atomic, and
// verification works on a context of its own, so that any number of threads may use it (openssl-threads(7)).
@safe final class PublicKeyHandle: @unchecked Sendable {
  private let key: OpaquePointer

  /// Acquires the ownership of a key, or returns `nil` if libcrypto returned none.
  init?(owning key: OpaquePointer?) {
    guard let key = unsafe key else {
      ERR_clear_error()
      return nil
    }
    unsafe self.key = key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Creates a key from an uncompressed point, or returns `nil` if the point is not on the curve.
  convenience init?(curve: EllipticCurve, point: [UInt8]) {
    unsafe self.init(owning: reactord_ec_key(curve.rawValue, point, point.count))
  }

  /// Creates an RSA key.
  convenience init?(modulus: [UInt8], exponent: [UInt8]) {
    guard let modulusLength = Int32(exactly: modulus.count),
      let exponentLength = Int32(exactly: exponent.count)
    else { return nil }
    unsafe self.init(
      owning: reactord_rsa_key(modulus, modulusLength, exponent, exponentLength))
  }

  /// Reads a SubjectPublicKeyInfo, or the one of a certificate, in PEM.
  convenience init?(pem: [UInt8], isCertificate: Bool) {
    guard let length = Int32(exactly: pem.count) else { return nil }
    unsafe self.init(owning: reactord_pem_key(pem, length, isCertificate ? 1 : 0))
  }

  /// Reads the key of an X.509 certificate in DER.
  convenience init?(certificate: [UInt8]) {
    unsafe self.init(owning: reactord_certificate_key(certificate, certificate.count))
  }

  // MARK: Properties

  /// Returns the algorithms that the key's type and curve permit.
  func algorithms() throws(VerificationKey.Failure) -> [SignatureAlgorithm] {
    switch unsafe EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_ED25519: return [.edDSA]
    case EVP_PKEY_RSA:
      guard unsafe EVP_PKEY_get_bits(key) >= 2048 else { throw .tooShort }
      guard unsafe EVP_PKEY_get_bits(key) <= 8192, unsafe reactord_rsa_is_safe(key) == 1 else {
        throw .malformed
      }
      return [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
    case EVP_PKEY_EC:
      switch groupName {
      case "prime256v1": return [.es256]
      case "secp384r1": return [.es384]
      case "secp521r1": return [.es512]
      default: throw .unsupported
      }
    default: throw .unsupported
    }
  }

  /// libcrypto's name of the curve.
  private var groupName: String {
    let name = unsafe [UInt8](unsafeUninitializedCapacity: 64) { output, count in
      unsafe output.withMemoryRebound(to: CChar.self) { characters in
        guard
          unsafe EVP_PKEY_get_group_name(key, characters.baseAddress, characters.count, &count) == 1
        else { return count = 0 }
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The 32 bytes of an Ed25519 key, or `nil` for another type.
  var rawBytes: [UInt8]? {
    var count = 32
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, used in
      if unsafe EVP_PKEY_get_raw_public_key(key, output.baseAddress, &count) == 1 { used = count }
    }
    ERR_clear_error()
    return bytes.count == 32 ? bytes : nil
  }

  /// Returns the SHA-256 digest of the key's SubjectPublicKeyInfo.
  func thumbprint() throws(VerificationKey.Failure) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_PUBKEY(key, &encoded)
    guard length > 0, let bytes = unsafe encoded else { throw .malformed }
    defer { unsafe reactord_openssl_free(bytes) }
    return unsafe SHA256.digest(of: UnsafeBufferPointer(start: bytes, count: Int(length)))
  }

  // MARK: Verifying

  func verifies(
    _ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm
  ) -> Bool {
    defer { ERR_clear_error() }
    let encoded =
      algorithm.curve.map { Self.derSignature(signature, half: $0.coordinateLength) } ?? signature
    guard !encoded.isEmpty, let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    let digest = unsafe algorithm.hash?.implementation
    // Owned by `context`, which frees it.
    var options: OpaquePointer?
    guard unsafe EVP_DigestVerifyInit(context, &options, digest, nil, key) == 1 else {
      return false
    }
    if algorithm.isProbabilistic {
      guard unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1,
        unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
      else { return false }
    }
    return unsafe EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
  }

  /// Returns the DER encoding of a signature of r and s, as libcrypto requires it; empty if the
  /// length of the signature is not 2 × `half`.
  private static func derSignature(_ signature: [UInt8], half: Int) -> [UInt8] {
    guard signature.count == 2 * half, let pair = unsafe ECDSA_SIG_new() else { return [] }
    defer { unsafe ECDSA_SIG_free(pair) }
    let r = unsafe BN_bin2bn(Array(signature[..<half]), Int32(half), nil)
    let s = unsafe BN_bin2bn(Array(signature[half...]), Int32(half), nil)
    guard unsafe ECDSA_SIG_set0(pair, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      return []
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_ECDSA_SIG(pair, &encoded)
    guard length > 0, let bytes = unsafe encoded else { return [] }
    defer { unsafe reactord_openssl_free(bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }
}
