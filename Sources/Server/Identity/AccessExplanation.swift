internal import ReactorCore

/// The reason why a right to a target is granted or not: each rule, and what the principal lacks for it.
///
/// Only for operators: it shows the rules.
package struct AccessExplanation: Sendable, Encodable {
  /// A rule, as it applies to the request.
  package struct Rule: Sendable, Encodable {
    /// The place of the rule: `auth.rules/0`, `auth.tokens`, the claim `reactord` or `scope`.
    package let rule: String

    /// The right that the rule grants.
    package let allow: String

    /// The pattern of sessions, or `nil` for everything.
    package let to: String?

    /// The part that the request lacks, as a sentence, or `nil` if the rule grants the right.
    package let missing: String?
  }

  /// The id of the principal, or `nil` for an anonymous request.
  package let principal: String?

  /// The right.
  package let right: String

  /// The session, the reactor, or `nil` for the service.
  package let on: String?

  /// Whether the credential was revoked.
  package let isRevoked: Bool

  /// Whether the rules grant the right.
  package let isAllowed: Bool

  /// The rules in their order: those of the configuration, of the token, and of its claims.
  package let rules: [Rule]
}

extension Grants {
  /// Explains the decision on a right to a target.
  ///
  /// - Parameters:
  ///   - right: The right.
  ///   - target: The target.
  ///   - configured: The number of rules of `auth.rules`, which come first.
  ///   - isRevoked: Whether the credential was revoked.
  /// - Returns: The explanation.
  func explain(
    _ right: Right, to target: Target, configured: Int, isRevoked: Bool
  ) -> AccessExplanation {
    func entry(_ rule: AccessRule, _ place: String) -> AccessExplanation.Rule {
      AccessExplanation.Rule(
        rule: place, allow: rule.right.name, to: rule.sessions?.text,
        missing: rule.missing(for: right, to: target, principal))
    }
    let entries =
      rules.enumerated().map { entry($1, $0 < configured ? "auth.rules/\($0)" : "auth.tokens") }
      + own.map { entry($0, $0.sessions == nil ? "scope" : "reactord") }
    return AccessExplanation(
      principal: principal?.id, right: right.name, on: target.text, isRevoked: isRevoked,
      isAllowed: !isRevoked && allow(right, to: target), rules: entries)
  }
}

extension Grants.Target {
  /// Reads the name of a target: `reactor/session` or `reactor`; `nil` is the service.
  package init(name: String?) {
    guard let name else {
      self = .service
      return
    }
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    self =
      parts.count == 2
      ? .session(reactor: String(parts[0]), id: String(parts[1])) : .reactor(name)
  }

  /// The name, or `nil` for the service.
  package var text: String? {
    switch self {
    case .session(let reactor, let id): "\(reactor)/\(id)"
    case .reactor(let reactor): reactor
    case .service: nil
    }
  }
}

extension AccessRule {
  /// Returns what a request lacks for the rule, as a sentence, or `nil` if the rule grants the right.
  func missing(for right: Right, to target: Grants.Target, _ principal: Principal?) -> String? {
    guard self.right >= right else { return "It grants \(self.right.name), not \(right.name)." }
    if !applies(to: principal) {
      guard let principal else { return "The request is anonymous." }
      return conditions.first { !principal.claims.contains($0.text, in: $0.claim) }?
        .missing(in: principal.claims)
    }
    guard let sessions else { return nil }
    let claims = principal?.claims
    if case .service = target { return "It grants sessions, and the request is about the service." }
    if let claim = sessions.missingClaim(of: claims) {
      return "The claim \(claim.debugDescription) is missing, or is no text that is not empty."
    }
    let isMatch =
      switch target {
      case .session(let reactor, let id):
        sessions.matches(reactor: reactor, session: id, claims: claims)
      case .reactor(let reactor): sessions.mayMatch(reactor: reactor, claims: claims)
      case .service: false
      }
    return isMatch
      ? nil : "The pattern stands for \(sessions.resolved(with: claims).debugDescription)."
  }
}

extension AccessRule.Condition {
  fileprivate func missing(in claims: Claims) -> String {
    let name = claim.debugDescription
    return claims[claim] == nil
      ? "The claim \(name) is missing."
      : "The claim \(name) does not contain \(text.debugDescription)."
  }
}
