internal import Crypto
internal import ReactorCore

/// One JSON Web Key (RFC 7517, RFC 7518, 6, RFC 8037, 2).
struct JSONWebKey {
  /// The reason why a key is not used.
  struct Failure: Error {
    /// The sentence for the operator.
    let sentence: String

    /// Whether a key set skips the key instead of being rejected.
    let isIgnorable: Bool
  }

  let members: Claims

  /// The name of the key in error messages: its position in the set and its `kid`.
  let name: String

  init(_ members: Claims, at index: Int) {
    self.members = members
    name = members.string("kid").map { "key \(index) (\($0.debugDescription))" } ?? "key \(index)"
  }

  /// Returns the key with the algorithms that it permits.
  func entry() throws(Failure) -> KeySet.Entry {
    try checkPurpose()
    let key: VerificationKey
    do throws(VerificationKey.Failure) {
      key = try verificationKey()
    } catch {
      throw failure(error.sentence, isIgnorable: error == .unsupported)
    }
    var algorithms = key.algorithms
    if let alg = members.string("alg") {
      algorithms.removeAll { $0 != SignatureAlgorithm(name: alg) }
      guard !algorithms.isEmpty else {
        throw failure(#"has an "alg" that its type does not permit"#, isIgnorable: true)
      }
    }
    return KeySet.Entry(id: members.string("kid"), key: key, algorithms: algorithms)
  }

  private func checkPurpose() throws(Failure) {
    if let use = members.string("use"), use != "sig" {
      throw failure(#"is not for signatures: "use" is not "sig""#, isIgnorable: true)
    }
    if members["key_ops"] != nil, !members.contains("verify", in: "key_ops") {
      throw failure(#"is not for verification: "key_ops" lacks "verify""#, isIgnorable: true)
    }
    guard members["d"] == nil else { throw failure(VerificationKey.Failure.isPrivate.sentence) }
  }

  private func verificationKey() throws(VerificationKey.Failure) -> VerificationKey {
    switch (members.string("kty"), members.string("crv")) {
    case ("OKP", "Ed25519"): return try VerificationKey(ed25519: bytes("x"))
    case ("EC", let name?):
      guard let curve = EllipticCurve(rawValue: name) else { throw .unsupported }
      return try VerificationKey(curve: curve, x: bytes("x"), y: bytes("y"))
    case ("RSA", _): return try VerificationKey(modulus: bytes("n"), exponent: bytes("e"))
    case ("oct", _): return try VerificationKey(secret: bytes("k"))
    default: throw .unsupported
    }
  }

  private func bytes(_ member: String) throws(VerificationKey.Failure) -> [UInt8] {
    guard let text = members.string(member), let bytes = Base64URL.decode(text.utf8) else {
      throw .malformed
    }
    return bytes
  }

  private func failure(_ reason: String, isIgnorable: Bool = false) -> Failure {
    Failure(sentence: "\(name) \(reason)", isIgnorable: isIgnorable)
  }
}

extension VerificationKey.Failure {
  /// The predicate of a sentence whose subject is the name of the key.
  var sentence: String {
    switch self {
    case .malformed: "is malformed: a parameter is missing, not in base64url, or not on the curve"
    case .unsupported:
      "has a type that is not supported: use Ed25519, P-256, P-384, RSA or a secret (oct)"
    case .tooShort: "is too short: RSA needs 2048 bits, a secret 32 bytes"
    case .isPrivate: "is a private key. Configure only the public key"
    }
  }
}
