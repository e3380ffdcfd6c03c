/// A digital signature or authentication algorithm of JSON Web Signature (RFC 7518, RFC 8037).
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
  /// Ed25519 (RFC 8032, RFC 8037).
  case edDSA = "EdDSA"

  /// ECDSA over P-256 with SHA-256; the signature is r and s, 32 bytes each (RFC 7518, 3.4).
  case es256 = "ES256"

  /// ECDSA over P-384 with SHA-384; the signature is r and s, 48 bytes each.
  case es384 = "ES384"

  /// ECDSA over P-521 with SHA-512; the signature is r and s, 66 bytes each.
  case es512 = "ES512"

  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"

  /// RSASSA-PKCS1-v1_5 with SHA-384.
  case rs384 = "RS384"

  /// RSASSA-PKCS1-v1_5 with SHA-512.
  case rs512 = "RS512"

  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt as long as the digest.
  case ps256 = "PS256"

  /// RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt as long as the digest.
  case ps384 = "PS384"

  /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt as long as the digest.
  case ps512 = "PS512"

  /// HMAC with SHA-256.
  case hs256 = "HS256"

  /// HMAC with SHA-384.
  case hs384 = "HS384"

  /// HMAC with SHA-512.
  case hs512 = "HS512"

  /// Reads the name in a token or a key.
  ///
  /// `Ed25519` is the fully specified name of EdDSA on that
  /// curve (RFC 9864).
  package init?(name: String) {
    // `String` normalizes its operands, which takes long for long ones. The names have no canonically equivalent texts.
    guard name.utf8.count <= 7 else { return nil }
    let name = name == "Ed25519" ? "EdDSA" : name
    guard let algorithm = Self.allCases.first(where: { $0.rawValue == name }) else { return nil }
    self = algorithm
  }

  /// The hash function, or `nil` for EdDSA, which contains its own.
  var hash: HashFunction? {
    switch self {
    case .edDSA: nil
    case .es256, .rs256, .ps256, .hs256: .sha256
    case .es384, .rs384, .ps384, .hs384: .sha384
    case .es512, .rs512, .ps512, .hs512: .sha512
    }
  }

  /// The curve of an ECDSA algorithm, or `nil` for the others.
  var curve: EllipticCurve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    default: nil
    }
  }

  /// Whether the algorithm is RSASSA-PSS.
  var isProbabilistic: Bool {
    switch self {
    case .ps256, .ps384, .ps512: true
    default: false
    }
  }
}

/// The hash functions of the algorithms (FIPS 180-4).
enum HashFunction: Int {
  case sha256 = 32
  case sha384 = 48
  case sha512 = 64

  /// The length of a digest in bytes.
  var digestLength: Int { rawValue }
}
