internal import ReactorCore

/// The reason why a right to a target is granted or not: each rule, and what the principal lacks for it.
///
/// Only for operators: it shows the rules.
package struct AccessExplanation: Sendable, Encodable {
  /// A rule, as it applies to the request.
  package struct Rule: Sendable, Encodable {
    /// The place of the rule: `auth.rules/0`, `auth.tokens`, the claim `reactord` or `scope`.
    package let rule: String

    /// The right that the rule grants, or `nil` for a denial.
    package let allow: String?

    /// The right that the rule denies, or `nil` for a grant.
    package let deny: String?

    /// The actions that the rule is about, or `nil` for all.
    package let `do`: [String]?

    /// The pattern of sessions, or `nil` for everything.
    package let to: String?

    /// The part that the request lacks, as a sentence, or `nil` if the rule grants the right, or denies it.
    package let missing: String?
  }

  /// The id of the principal, or `nil` for an anonymous request.
  package let principal: String?

  /// A claim of `auth.claims`.
  package struct Derived: Sendable, Encodable {
    /// The name of the claim.
    package let claim: String

    /// The path of the claim that it follows from.
    package let from: String

    /// The value, or `nil` if the other claim does not match.
    package let value: String?
  }

  /// The claims of `auth.claims`; none for an anonymous request.
  package let derived: [Derived]

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
  ///   - use: What the request does with the right to act.
  ///   - configured: The number of rules of `auth.rules`, which come first.
  ///   - isRevoked: Whether the credential was revoked.
  /// - Returns: The explanation.
  func explain(
    _ right: Right, to target: Target, for use: Use, configured: Int, isRevoked: Bool
  ) -> AccessExplanation {
    func entry(_ rule: AccessRule, _ place: String) -> AccessExplanation.Rule {
      AccessExplanation.Rule(
        rule: place, allow: rule.isDenial ? nil : rule.right.name,
        deny: rule.isDenial ? rule.right.name : nil,
        do: rule.actions.isEmpty ? nil : rule.actions, to: rule.sessions?.text,
        missing: missing(rule, right, target, use))
    }
    let entries =
      rules.enumerated().map { entry($1, $0 < configured ? "auth.rules/\($0)" : "auth.tokens") }
      + own.map { entry($0, $0.sessions == nil ? "scope" : "reactord") }
    return AccessExplanation(
      principal: principal?.id,
      derived: claims.map { claims in
        derived.map { .init(claim: $0.name, from: $0.source, value: claims.string($0.name)) }
      } ?? [],
      right: right.name, on: target.text, isRevoked: isRevoked,
      isAllowed: !isRevoked && allow(right, to: target, for: use), rules: entries)
  }

  /// Returns what a request lacks for a rule, as a sentence, or `nil` if the rule grants the right, or denies it.
  private func missing(
    _ rule: AccessRule, _ right: Right, _ target: Target, _ use: Use
  ) -> String? {
    guard rule.isDenial ? rule.right.denies(right) : rule.right.includes(right) else {
      return "It \(rule.isDenial ? "denies" : "grants") \(rule.right.name), not \(right.name)."
    }
    guard rule.includes(use, of: right) else { return "It is about other actions." }
    if !rule.applies(to: claims) {
      guard let claims else { return "The request is anonymous." }
      return rule.conditions.first { !$0.isMet(by: claims) }?.missing(in: claims)
    }
    guard let sessions = rule.sessions else { return nil }
    if case .service = target { return "It is about sessions, and the request about the service." }
    if let claim = sessions.missingClaim(of: claims) {
      return "The claim \(claim.debugDescription) is missing, or is no text that is not empty."
    }
    if rule.isDenial ? covers(rule, target) : reaches(rule, target) { return nil }
    return "The pattern stands for \(sessions.resolved(with: claims).debugDescription)."
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

extension AccessRule.Condition {
  fileprivate func missing(in claims: Claims) -> String {
    let name = claim.debugDescription
    guard claims.value(at: claim) != nil else { return "The claim \(name) is missing." }
    let wanted = values.map(\.text).joined(separator: " or ")
    return "The claim \(name) does not contain \(wanted)."
  }
}

extension Claims.Value {
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let number): "\(number)"
    case .string(let text): text.debugDescription
    case .array, .object: "…"
    }
  }
}
