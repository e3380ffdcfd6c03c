internal import ReactorCore

/// The keys of a provider, which change while the service runs.
package protocol KeySource: AnyObject, Sendable {
  /// Requests the keys again, because a token names one that is not known.
  ///
  /// - Parameter now: The time in seconds since 1970.
  /// - Returns: The decision to wait for, or `nil` if the last request was too recent.
  func refresh(at now: Int64) -> PendingDecision?

  /// When the last request began, in seconds since 1970, or `nil` if it failed: the provider may have published keys
  /// since then that the service does not know.
  var confirmed: Int64? { get }
}

/// The end of a request to another server that a decision on a credential waits for.
package final class PendingDecision: Sendable, Equatable {
  private let request: Task<Void, Never>

  /// Creates a decision that is possible at the end of a task, which takes seconds at most.
  package init(_ request: Task<Void, Never>) {
    self.request = request
  }

  /// Waits until the credential can be verified again.
  package func wait() async { await request.value }

  /// Returns whether both are the same instance.
  package static func == (left: PendingDecision, right: PendingDecision) -> Bool { left === right }
}

/// The verifier of the tokens of one issuer: its keys verify no token of another one.
package struct IssuerVerifier: Sendable {
  private let issuer: String
  private let verifier: TokenVerifier?
  private let source: any KeySource
  private let leeway: Int64

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - issuer: The issuer.
  ///   - keys: The keys, or `nil` before the provider has published any.
  ///   - leeway: The difference between clocks that is tolerated, in seconds.
  ///   - others: The other issuers, or `nil` if no others exist.
  ///   - names: Further qualifiers, with which no `sub` without one may begin.
  ///   - source: Requests keys that are not known.
  package init(
    _ issuer: TrustedIssuer, keys: KeySet?, leeway: Int64 = TokenVerifier.Rules().leeway,
    among others: [TrustedIssuer]?, reserving names: [String] = [], from source: any KeySource
  ) {
    self.issuer = issuer.issuer
    self.source = source
    self.leeway = leeway
    var rules = TokenVerifier.Rules()
    rules.issuer = issuer.issuer
    rules.audience = issuer.audience
    rules.leeway = leeway
    if others != nil { rules.qualifier = issuer.name }
    if rules.qualifier.isEmpty { rules.otherQualifiers = (others ?? []).map(\.name) + names }
    verifier = keys.map { TokenVerifier(keys: $0, rules: rules) }
  }

  /// Returns whether a token with these claims is to be verified by this issuer's keys.
  func verifies(_ claims: Claims?) -> Bool {
    claims?.string("iss").map { $0.hasSameBytes(as: issuer) } ?? false
  }

  /// Verifies a token.
  func verify(
    _ text: SignedText, _ claims: Claims?, at now: Int64
  ) throws(Authenticator.Failure) -> TokenVerifier.Verified {
    var failure = TokenVerifier.Failure.unknownKey
    if let verifier {
      do throws(TokenVerifier.Failure) {
        return try verifier.verify(text, claims, at: now)
      } catch {
        failure = error
      }
    }
    // Without a key id, a new key of the provider shows itself by its signatures.
    let isNew = failure == .unknownKey || failure == .badSignature && text.header["kid"] == nil
    guard isNew else { throw .token(failure) }
    if let pending = source.refresh(at: now) { throw .pending(pending) }
    guard let confirmed = source.confirmed else { throw .unavailable }
    // Signatures were verified: the failure counts, whatever time the client has written.
    guard failure == .unknownKey else { throw .token(failure) }
    // A token that was issued after the last request may have a key that is newer than it.
    guard (claims?.number("iat") ?? 0) + Double(leeway) < Double(confirmed) else {
      throw .unavailable
    }
    throw .token(failure)
  }

  /// Checks a token again; see ``TokenVerifier/principal(of:signedBy:at:)``.
  func principal(of claims: Claims, signedBy key: SigningKey, at now: Int64) -> Principal? {
    verifier?.principal(of: claims, signedBy: key, at: now)
  }
}
