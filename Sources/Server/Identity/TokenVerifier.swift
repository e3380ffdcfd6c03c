internal import Crypto
package import ReactorCore

/// Verifies JSON Web Tokens (RFC 7519) that are signed with a set of keys.
///
/// The rules are those of RFC 8725: the algorithm is chosen by the key and not by the token, keys
/// that a token names or carries (`jku`, `jwk`, `x5u`, `x5c`) are ignored, and every critical
/// extension and every ambiguous text (repeated members, padding, spare bits) is rejected.
package struct TokenVerifier: Sendable {
  /// The maximum length of a token in bytes.
  package static let sizeLimit = 8192

  /// The maximum number of keys that one token is verified with.
  package static let keyLimit = 4

  /// The maximum length of `sub` in bytes.
  package static let subjectLimit = 256

  /// The expectations that a token has to meet.
  package struct Rules: Sendable, Equatable {
    /// The value that `iss` must have, or `nil` for any.
    package var issuer: String?

    /// `aud` must contain one of these values; empty for any.
    package var audience: [String] = []

    /// The difference between clocks that is tolerated, in seconds.
    package var leeway: Int64 = 30

    /// Whether a token without `exp` is rejected.
    package var requiresExpiry = true

    /// The text before `|` in the `sub` of principals, or empty for the `sub` of the token: two issuers may use the
    /// same `sub` for different users.
    package var qualifier = ""

    /// The qualifiers of other issuers, with which no `sub` of this one may begin.
    package var otherQualifiers: [String] = []

    /// Creates the default rules.
    package init() {}
  }

  /// A verified token.
  ///
  /// It is valid until it expires, its key is removed or other rules reject its claims.
  package struct Verified: Sendable {
    /// The user or service that the token names.
    package let principal: Principal

    /// The key that verified the token.
    let key: SigningKey
  }

  /// The reasons for which a token is rejected.
  package enum Failure: Error, Equatable, Sendable {
    /// The text is not a signed token in compact form.
    case malformed
    /// The text is longer than ``sizeLimit``.
    case tooLong
    /// The header names an algorithm or a type that is not supported, or a critical extension.
    case unsupported
    /// No key of the set has the token's `kid` and permits its algorithm.
    case unknownKey
    /// More than ``keyLimit`` keys of the set fit the token, because it has no `kid`.
    case ambiguousKey
    /// The signature does not match.
    case badSignature
    /// The token has expired, or has no `exp` although one is required.
    case expired
    /// `nbf` or `iat` lies in the future.
    case notYetValid
    /// `iss` is not the configured one.
    case wrongIssuer
    /// `aud` does not contain a configured value.
    case wrongAudience
    /// A registered claim has the wrong type, or `sub` is missing, empty, too long or contains a
    /// control character.
    case invalidClaims

    /// The reason as one sentence for `error_description` (RFC 6750, 3); it quotes nothing of the token.
    package var sentence: String {
      switch self {
      case .malformed: "The token is not a JSON Web Token"
      case .tooLong: "The token is longer than \(TokenVerifier.sizeLimit) bytes"
      case .unsupported: "The algorithm, type or a critical extension of the token is not supported"
      case .unknownKey: "No configured key matches the token"
      case .ambiguousKey: "The token needs a kid: several configured keys permit its algorithm"
      case .badSignature: "The signature of the token is not valid"
      case .expired: "The token has expired or has no expiry"
      case .notYetValid: "The token is not valid yet"
      case .wrongIssuer: "The issuer of the token is not accepted"
      case .wrongAudience: "The token is for another audience"
      case .invalidClaims: "A claim of the token is missing or has the wrong type"
      }
    }
  }

  /// The keys.
  package let keys: KeySet

  /// The expectations.
  package let rules: Rules

  /// Creates a verifier.
  package init(keys: KeySet, rules: Rules = Rules()) {
    self.keys = keys
    self.rules = rules
  }

  /// Verifies a token.
  ///
  /// - Parameters:
  ///   - token: The token as it was sent.
  ///   - now: The time in seconds since 1970.
  /// - Returns: The principal, and the key that verified the token.
  /// - Throws: The first rule that the token breaks.
  package func verify(
    _ token: some Collection<UInt8>, at now: Int64
  ) throws(Failure) -> Verified {
    try verify(SignedText(Array(token)), at: now)
  }

  /// Verifies a token whose claims may have been read before.
  func verify(
    _ text: SignedText, _ claims: Claims? = nil, at now: Int64
  ) throws(Failure) -> Verified {
    let algorithm = try Self.algorithm(of: text.header)
    let entry = try entry(verifying: text.signature, of: text.message, with: algorithm, text.header)
    guard let claims = claims ?? text.claims else { throw .malformed }
    return Verified(
      principal: try principal(claims, at: now),
      key: SigningKey(
        thumbprint: entry.key.thumbprint, algorithm: algorithm, qualifier: rules.qualifier))
  }

  /// Checks a token again that another verifier has accepted.
  ///
  /// - Parameters:
  ///   - claims: The claims of the token.
  ///   - key: The key and the algorithm of its signature.
  ///   - now: The time in seconds since 1970.
  /// - Returns: The principal, or `nil` if this verifier would reject the token.
  func principal(of claims: Claims, signedBy key: SigningKey, at now: Int64) -> Principal? {
    let isAccepted = keys.entries.contains {
      $0.key.thumbprint == key.thumbprint && $0.algorithms.contains(key.algorithm)
    }
    guard isAccepted, key.qualifier == rules.qualifier else { return nil }
    return try? principal(claims.unqualified(from: key.qualifier), at: now)
  }

  private static func algorithm(of header: Claims) throws(Failure) -> SignatureAlgorithm {
    guard let name = header.string("alg"), let algorithm = SignatureAlgorithm(name: name),
      header["crit"] == nil
    else { throw .unsupported }
    // An explicit type rejects tokens for other purposes, such as logout tokens (RFC 8725, 3.11).
    if let type = header["typ"] {
      guard case .string(let text) = type,
        ["jwt", "application/jwt", "at+jwt", "application/at+jwt"].contains(
          where: { $0.utf8.elementsEqual(text.utf8.lazy.map(ASCIICase.lowercased)) })
      else { throw .unsupported }
    }
    return algorithm
  }

  /// Returns the key that verifies the signature.
  ///
  /// Keys with another `kid` than the token are skipped; a key or a token without a `kid` matches
  /// any. The number of verifications is bounded, since each client can send a token.
  private func entry(
    verifying signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm,
    _ header: Claims
  ) throws(Failure) -> KeySet.Entry {
    let id: String?
    switch header["kid"] {
    case nil: id = nil
    case .string(let text): id = text
    default: throw .malformed
    }
    let entries = keys.entries
    let candidates = entries.indices.filter { index in
      guard entries[index].algorithms.contains(algorithm) else { return false }
      guard let id, let own = entries[index].id else { return true }
      return own.hasSameBytes(as: id)
    }
    guard !candidates.isEmpty else { throw .unknownKey }
    guard candidates.count <= Self.keyLimit else { throw .ambiguousKey }
    for index in candidates
    where entries[index].key.verifies(signature, of: message, with: algorithm) {
      return entries[index]
    }
    throw .badSignature
  }

  private func principal(_ claims: Claims, at now: Int64) throws(Failure) -> Principal {
    try Self.principal(claims, by: rules, at: now)
  }

  /// Returns the principal that claims name, if they meet the expectations.
  static func principal(
    _ claims: Claims, by rules: Rules, at now: Int64
  ) throws(Failure) -> Principal {
    let expiry = try time("exp", of: claims)
    if let expiry {
      guard now < expiry.saturatingAdd(rules.leeway) else { throw .expired }
    } else if rules.requiresExpiry {
      throw .expired
    }
    for name in ["nbf", "iat"] {
      guard let start = try time(name, of: claims) else { continue }
      guard now.saturatingAdd(rules.leeway) >= start else { throw .notYetValid }
    }
    if let issuer = rules.issuer {
      guard claims.string("iss")?.hasSameBytes(as: issuer) == true else {
        throw .wrongIssuer
      }
    }
    if !rules.audience.isEmpty {
      guard rules.audience.contains(where: { claims.contains($0, in: "aud") }) else {
        throw .wrongAudience
      }
    }
    guard let subject = claims.string("sub"), isValid(subject: subject),
      !rules.otherQualifiers.contains(where: { subject.utf8.starts(with: "\($0)|".utf8) })
    else { throw .invalidClaims }
    return Principal(
      id: rules.qualifier.isEmpty ? subject : "\(rules.qualifier)|\(subject)",
      claims: claims.qualified(by: rules.qualifier),
      expiry: expiry.map { $0.saturatingAdd(rules.leeway) })
  }

  /// Returns a NumericDate (RFC 7519, 2) in seconds, rounded down, or `nil` if the claim is missing.
  private static func time(_ name: String, of claims: Claims) throws(Failure) -> Int64? {
    switch claims[name] {
    case nil: return nil
    case .number(let seconds):
      guard let time = Int64(exactly: seconds.rounded(.down)) else { throw .invalidClaims }
      return time
    default: throw .invalidClaims
    }
  }

  /// Returns whether a subject has a valid length and no control characters, since logs and header
  /// fields contain it.
  private static func isValid(subject: String) -> Bool {
    (1...subjectLimit).contains(subject.utf8.count)
      && subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

/// Case-insensitive comparison of ASCII letters.
enum ASCIICase {
  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension Int64 {
  fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
