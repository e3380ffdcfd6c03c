package import ReactorCore

/// Grants a right to the sessions of a pattern, to principals that meet its conditions.
package struct AccessRule: Sendable, Equatable {
  /// The right that the rule grants, with those that it includes.
  package var right: Right

  /// The sessions that the rule applies to, or `nil` for every session and for the service itself.
  package var sessions: SessionPattern?

  /// Whether requests without a credential are granted the right too.
  package var includesAnonymous: Bool

  /// Claims that the principal must have: each is the text, or an array that contains it.
  package var conditions: [Condition]

  /// A claim and the text that it must be or contain.
  package struct Condition: Sendable, Equatable {
    /// The name of the claim.
    package let claim: String

    /// The text.
    package let text: String

    /// Creates a condition.
    package init(claim: String, text: String) {
      self.claim = claim
      self.text = text
    }
  }

  /// Creates a rule.
  package init(
    allow right: Right, to sessions: SessionPattern? = nil, includesAnonymous: Bool = false,
    if conditions: [Condition] = []
  ) {
    self.right = right
    self.sessions = sessions
    self.includesAnonymous = includesAnonymous
    self.conditions = conditions
  }

  /// Returns whether the rule applies to a principal, or with `nil` to an anonymous request; it is
  /// independent of the target.
  func applies(to principal: Principal?) -> Bool {
    guard let principal else { return includesAnonymous && conditions.isEmpty }
    return conditions.allSatisfy { principal.claims.contains($0.text, in: $0.claim) }
  }
}

/// The rights of one request: those of the configured rules, and those in the claims of its
/// credential.
package struct Grants: Sendable {
  /// The target of a request.
  package enum Target: Sendable {
    /// One session.
    case session(reactor: String, id: String)
    /// A reactor: its description, or the list of its sessions.
    case reactor(String)
    /// The service: globals, metrics, lists over all reactors.
    case service
  }

  let rules: [AccessRule]
  let own: [AccessRule]
  let principal: Principal?

  /// Creates the grants of a principal, or returns `nil` for an anonymous request.
  ///
  /// The claim `reactord` is an object that maps the name of a right to an array of patterns. Each
  /// word `reactord:RIGHT` in the claim `scope`, such as `reactord:read`, grants the right to every
  /// target.
  package init(rules: [AccessRule], principal: Principal?) {
    self.rules = rules
    self.principal = principal
    own = principal.map { Self.ownRules(of: $0.claims) } ?? []
  }

  private static func ownRules(of claims: Claims) -> [AccessRule] {
    var rules: [AccessRule] = []
    if case .object(let grants) = claims["reactord"] {
      for right in Right.allCases {
        for text in grants.strings(right.name).prefix(patternLimit) {
          if let pattern = SessionPattern(text) {
            rules.append(AccessRule(allow: right, to: pattern))
          }
        }
      }
    }
    for scope in claims.strings("scope") {
      for word in scope.split(separator: " ") {
        let prefix = "reactord:"
        guard word.utf8.starts(with: prefix.utf8),
          let right = Right(name: word.dropFirst(prefix.count))
        else { continue }
        rules.append(AccessRule(allow: right))
      }
    }
    return rules
  }

  /// The maximum number of patterns per right that are read from one token.
  package static let patternLimit = 100

  /// Returns whether the principal has a right to a target; allocates nothing.
  package func allow(_ right: Right, to target: Target) -> Bool {
    grants(right, target, in: own) || grants(right, target, in: rules)
  }

  private func grants(_ right: Right, _ target: Target, in rules: [AccessRule]) -> Bool {
    rules.contains { rule in
      rule.right >= right && rule.applies(to: principal) && reaches(rule, target)
    }
  }

  private func reaches(_ rule: AccessRule, _ target: Target) -> Bool {
    guard let pattern = rule.sessions else { return true }
    switch target {
    case .session(let reactor, let id):
      return pattern.matches(reactor: reactor, session: id, claims: principal?.claims)
    case .reactor(let reactor):
      return pattern.mayMatch(reactor: reactor, claims: principal?.claims)
    case .service: return false
    }
  }
}
