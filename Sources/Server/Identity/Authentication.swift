internal import Crypto
package import ReactorCore

/// The outcome of authentication: the principal of a request and its rights.
///
/// Immutable; a connection or a stream may retain it, and calls ``Authenticator/refresh(_:at:)``
/// to validate it again.
package final class Authentication: Sendable {
  /// The credential that was presented.
  enum Source: Sendable, Equatable {
    case anonymous
    /// A static token, by its digest.
    case staticToken([UInt8])
    /// A token that a key verified.
    case key(SigningKey)
    /// An opaque token, of which its issuer said that it is active, by the identity of the introspection.
    case opaque(String)
    /// A credential that is no longer accepted.
    case revoked
  }

  /// The authenticated user or service, or `nil` for an anonymous request, and for a static token
  /// without a name.
  package let principal: Principal?

  /// A text for a static token without a principal, which no id of a principal is, or `nil`.
  package let namelessCredential: String?

  /// Whether a valid credential was presented.
  package var isAuthenticated: Bool { source != .anonymous && source != .revoked }

  /// The authentication of a credential that is no longer accepted: it has no right.
  static let revoked = Authentication(
    .revoked, nil, Grants(rules: [], principal: nil), generation: .max)

  /// The time at which the credential expires, in seconds since 1970.
  package var expiry: Int64? { principal?.expiry }

  /// Returns whether the credential has not expired.
  func isCurrent(at now: Int64) -> Bool {
    expiry.map { now < $0 } ?? true
  }

  let source: Source
  let generation: UInt64
  let grants: Grants

  /// Decides on requests about sessions after the rules, or `nil` if none does: always for an administrator.
  package let webhook: (any AccessWebhook)?

  init(
    _ source: Source, _ principal: Principal?, _ grants: Grants, generation: UInt64,
    webhook: (any AccessWebhook)? = nil
  ) {
    self.webhook = webhook
    self.source = source
    self.principal = principal
    self.grants = grants
    self.generation = generation
    // Part of stored idempotency keys. At most 15 bytes, so that copies allocate nothing.
    namelessCredential =
      if principal == nil, case .staticToken(let digest) = source {
        "\u{3}" + String(decoding: Base64URL.encode(digest.prefix(10)), as: UTF8.self)
      } else {
        nil
      }
  }

  /// Returns whether a right to a target is granted; allocates nothing.
  package func allows(
    _ right: Right, to target: Grants.Target, for use: Grants.Use = .some
  ) -> Bool {
    grants.allow(right, to: target, for: use)
  }

  /// Whether a rule is about some actions only.
  package var limitsActions: Bool { grants.limitsActions }

  /// Returns whether a rule denies the right to read some sessions of a reactor.
  package func isDeniedSome(of reactor: String) -> Bool { grants.denySome(of: reactor) }
}

/// The key that verified a token, and the algorithm of the token.
struct SigningKey: Equatable, Sendable {
  /// The thumbprint of the key.
  let thumbprint: [UInt8]

  /// The algorithm.
  let algorithm: SignatureAlgorithm

  /// The qualifier of the issuer in `sub`; empty for none.
  var qualifier = ""
}
