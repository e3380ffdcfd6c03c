package import ReactorCore
package import Shares

/// Queries the issuer of opaque tokens (RFC 7662).
package protocol TokenIntrospection: AnyObject, Sendable {
  /// Differs between introspections that accept different tokens or name their principals differently; the same on
  /// each node.
  var identity: String { get }

  /// Determines the state of a token, and requests it if it is not known.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - digest: Its SHA-256 digest.
  ///   - now: The time in seconds since 1970.
  ///   - account: The account of the client's address, which a request is counted for.
  /// - Returns: The state.
  func state(
    of token: [UInt8], _ digest: [UInt8], at now: Int64, for account: Account?
  ) -> IntrospectedToken
}

/// The qualifiers of the principals of opaque tokens, so that none is the principal of a token of another issuer.
package struct IntrospectionQualifiers: Sendable, Equatable {
  /// The qualifier of a principal whose issuer is not configured, where tokens of other issuers are accepted as well.
  package static let own = "introspection"

  fileprivate struct Issuer: Equatable {
    let issuer: String
    /// `aud` must contain one of these values; empty for any.
    let audience: [String]
    let qualifier: String
  }

  private let issuers: [Issuer]
  private let other: String
  /// The qualifiers with which no `sub` that has none may begin.
  package let reserved: [String]

  /// All texts, which differ if the qualifiers do.
  package var texts: [[String]] {
    issuers.map { [$0.issuer, $0.qualifier] + $0.audience } + [[other], reserved]
  }

  /// Creates the qualifiers; without arguments there are none.
  ///
  /// - Parameters:
  ///   - issuers: The issuers whose tokens are verified.
  ///   - keyIssuer: The issuer of the tokens of other keys, empty for any, or `nil` if there are no other keys.
  package init(_ issuers: [TrustedIssuer] = [], keyIssuer: String? = nil) {
    let areQualified = keyIssuer != nil || issuers.count > 1
    // In an order of their own: that of the setting changes no principal.
    let issuers = issuers.sorted { $0.issuer < $1.issuer }
    var known = issuers.map {
      Issuer(issuer: $0.issuer, audience: $0.audience, qualifier: areQualified ? $0.name : "")
    }
    if let keyIssuer, !keyIssuer.isEmpty {
      known.append(Issuer(issuer: keyIssuer, audience: [], qualifier: ""))
    }
    self.issuers = known
    other = issuers.isEmpty && keyIssuer == nil ? "" : Self.own
    let names = areQualified ? issuers.map(\.name).filter { !$0.isEmpty } : []
    reserved = other.isEmpty ? [] : names + [other]
  }

  /// Returns the issuer of a response with some `iss`: with the qualifier of its principals, empty for none.
  fileprivate func issuer(_ issuer: String?) -> Issuer {
    issuers.first { known in issuer.map { known.issuer.utf8.elementsEqual($0.utf8) } ?? false }
      ?? Issuer(issuer: "", audience: [], qualifier: other)
  }
}

/// The state of an opaque token.
package enum IntrospectedToken: Sendable {
  /// The token is that of a principal, until its expiry.
  case active(Principal)

  /// The token is not valid.
  case inactive

  /// The issuer was queried: wait for its response.
  case pending(PendingDecision)

  /// The issuer does not respond.
  case unavailable

  /// The client has its share of this number of requests without a response.
  case beyondShare(of: Int)

  /// Reads the response of an issuer (RFC 7662, 2.2), or returns `nil` for another text.
  ///
  /// - Parameters:
  ///   - response: The body of the response.
  ///   - audience: `aud` must contain one of these values; empty for any.
  ///   - qualifiers: The qualifiers of principals.
  ///   - now: The time in seconds since 1970.
  ///   - lifetime: The seconds for which the response may be used.
  package init?(
    _ response: [UInt8], for audience: [String],
    qualifiedBy qualifiers: IntrospectionQualifiers = IntrospectionQualifiers(), at now: Int64,
    lifetime: Int64
  ) {
    guard let claims = StrictObject(response)?.claims,
      case .boolean(let isActive)? = claims["active"]
    else { return nil }
    var rules = TokenVerifier.Rules()
    rules.requiresExpiry = false
    rules.audience = audience
    let issuer = qualifiers.issuer(claims.string("iss"))
    rules.qualifier = issuer.qualifier
    if rules.qualifier.isEmpty { rules.otherQualifiers = qualifiers.reserved }
    let isForIssuer =
      issuer.audience.isEmpty || issuer.audience.contains { claims.contains($0, in: "aud") }
    guard isActive, isForIssuer,
      let principal = try? TokenVerifier.principal(claims, by: rules, at: now)
    else {
      self = .inactive
      return
    }
    // The issuer has compared the times of the token with its own clock, and the response ends with the token.
    let rest = principal.expiry.map { $0 - rules.leeway - now } ?? lifetime
    guard rest > 0 else {
      self = .inactive
      return
    }
    self = .active(
      Principal(
        id: principal.id, claims: principal.claims, expiry: now + min(rest, lifetime)))
  }
}
