internal import Crypto
internal import ReactorCore

/// One JSON Web Key (RFC 7517, RFC 7518, 6, RFC 8037, 2).
struct JSONWebKey {
  /// The reason why a key is not used.
  enum Failure: Error {
    /// The key is for another purpose, or a private key of another type: nothing is wrong.
    case otherPurpose(String)

    /// The key cannot be used; a key set skips it with a warning (RFC 7517, 5).
    case unusable(String)

    /// The key is private: no file of a service may contain it.
    case isPrivate(String)

    /// The sentence for the operator.
    var sentence: String {
      switch self {
      case .otherPurpose(let sentence), .unusable(let sentence), .isPrivate(let sentence): sentence
      }
    }
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
      throw .unusable("\(name) \(error.sentence)")
    }
    var algorithms = key.algorithms
    if let alg = try text("alg") {
      algorithms.removeAll { $0 != SignatureAlgorithm(name: alg) }
      guard !algorithms.isEmpty else {
        throw .unusable(#"\#(name) has an "alg" that its type does not permit"#)
      }
    }
    return KeySet.Entry(id: try text("kid"), key: key, algorithms: algorithms)
  }

  private func checkPurpose() throws(Failure) {
    if let use = try text("use"), use != "sig" {
      throw .otherPurpose(#"\#(name) is not for signatures: "use" is not "sig""#)
    }
    if let operations = members["key_ops"] {
      guard case .array(let listed) = operations,
        listed.allSatisfy({ if case .string = $0 { true } else { false } })
      else { throw .unusable(#"\#(name) has "key_ops" that are not an array of texts"#) }
      guard members.contains("verify", in: "key_ops") else {
        throw .otherPurpose(#"\#(name) is not for verification: "key_ops" lacks "verify""#)
      }
    }
    guard members["d"] == nil else {
      throw .isPrivate("\(name) \(VerificationKey.Failure.isPrivate.sentence)")
    }
  }

  /// Returns a member that must be a text, or `nil` without the member.
  private func text(_ member: String) throws(Failure) -> String? {
    guard members[member] != nil else { return nil }
    guard let text = members.string(member) else {
      throw .unusable("\(name) has a \(member.debugDescription) that is not a text")
    }
    return text
  }

  private func verificationKey() throws(VerificationKey.Failure) -> VerificationKey {
    // RFC 7517, 4.7: the first certificate has the key. Used if the parameters are not listed too.
    if case .array(let chain)? = members["x5c"], case .string(let first)? = chain.first,
      members["n"] == nil, members["x"] == nil
    {
      guard let certificate = Base64URL.decode(standard: first) else { throw .malformed }
      return try VerificationKey(certificate: certificate)
    }
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
    guard let text = members.string(member), let bytes = Base64URL.decode(text.utf8.span) else {
      throw .malformed
    }
    return bytes
  }
}

extension VerificationKey.Failure {
  /// The predicate of a sentence whose subject is the name of the key.
  var sentence: String {
    switch self {
    case .malformed:
      "is malformed: a parameter is missing, not in base64url, not on the curve, or not safe"
    case .unsupported:
      "has a type that is not supported: use Ed25519, P-256, P-384, P-521, RSA or a secret (oct)"
    case .tooShort: "is too short: RSA needs 2048 bits, a secret 32 bytes"
    case .isPrivate: "is a private key. Configure only the public key"
    }
  }
}
