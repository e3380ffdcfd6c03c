/// A digital signature or authentication algorithm of JSON Web Signature (RFC 7518, RFC 8037).
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
  /// Ed25519 (RFC 8032, RFC 8037).
  case edDSA = "EdDSA"

  /// ECDSA over P-256 with SHA-256; the signature is r and s, 32 bytes each (RFC 7518, 3.4).
  case es256 = "ES256"

  /// ECDSA over P-384 with SHA-384; the signature is r and s, 48 bytes each.
  case es384 = "ES384"

  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"

  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt as long as the digest.
  case ps256 = "PS256"

  /// HMAC with SHA-256.
  case hs256 = "HS256"

  /// Reads the name in a token or a key.
  ///
  /// `Ed25519` is the fully specified name of EdDSA on that
  /// curve (RFC 9864).
  public init?(name: String) {
    guard
      let algorithm = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) })
        ?? (name.utf8.elementsEqual("Ed25519".utf8) ? .edDSA : nil)
    else { return nil }
    self = algorithm
  }
}
