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
  ///   - names: The qualifiers of other issuers, with which no `sub` may begin.
  ///   - now: The time in seconds since 1970.
  ///   - lifetime: The seconds for which the response may be used.
  package init?(
    _ response: [UInt8], for audience: [String], reserving names: [String] = [], at now: Int64,
    lifetime: Int64
  ) {
    guard let claims = StrictObject(response)?.claims,
      case .boolean(let isActive)? = claims["active"]
    else { return nil }
    var rules = TokenVerifier.Rules()
    rules.requiresExpiry = false
    rules.audience = audience
    rules.otherQualifiers = names
    guard isActive,
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
