package import ReactorCore

/// Grants a right to the sessions of a pattern, to principals that meet its conditions.
package struct AccessRule: Sendable, Equatable {
  /// The right that the rule grants, with those that it includes; of a denial, the right that it denies, with those
  /// that include it.
  package var right: Right

  /// Whether the rule denies the right, whatever other rules grant.
  package var isDenial = false

  /// The names of the actions that the rule is about; empty for all.
  package var actions: [String] = []

  /// The sessions that the rule applies to, or `nil` for every session and for the service itself.
  package var sessions: SessionPattern?

  /// Whether requests without a credential are granted the right too.
  package var includesAnonymous: Bool

  /// Claims that the principal must have.
  package var conditions: [Condition]

  /// A claim and the values of which it must be or contain one.
  package struct Condition: Sendable, Equatable {
    /// The path of the claim: its name, or names with dots between them.
    package let claim: String

    /// Texts, numbers and Booleans.
    package let values: [Claims.Value]

    /// Creates a condition.
    package init(claim: String, text: String) {
      self.init(claim: claim, values: [.string(text)])
    }

    /// Creates a condition that one of several values meets.
    package init(claim: String, values: [Claims.Value]) {
      self.claim = claim
      self.values = values
    }

    /// Returns whether the claim is one of the values, or an array that contains one.
    ///
    /// The texts of `scope` and `scp` are
    /// words with spaces between them (RFC 8693, 4.2).
    func isMet(by claims: Claims) -> Bool {
      guard let value = claims.value(at: claim) else { return false }
      switch value {
      case .array(let elements): return elements.contains { values.contains($0) }
      case .string(let text) where Self.hasWords(claim):
        return text.split(separator: " ").contains { values.contains(.string(String($0))) }
      default: return values.contains(value)
      }
    }

    private static func hasWords(_ claim: String) -> Bool {
      claim.utf8.elementsEqual("scope".utf8) || claim.utf8.elementsEqual("scp".utf8)
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

  /// Returns whether the rule applies to a principal with some claims, or with `nil` to an anonymous request; it is
  /// independent of the target.
  func applies(to claims: Claims?) -> Bool {
    guard let claims else { return (isDenial || includesAnonymous) && conditions.isEmpty }
    return conditions.allSatisfy { $0.isMet(by: claims) }
  }

  /// Returns whether the rule is about what a request does with the right to act.
  func includes(_ use: Grants.Use, of right: Right) -> Bool {
    guard !actions.isEmpty else { return true }
    guard right == .act else { return !isDenial && right != .signal }
    switch use {
    case .some: return !isDenial
    case .action(let name): return actions.contains { $0.utf8.elementsEqual(name.utf8) }
    }
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

  /// The use that a request makes of the right to act.
  package enum Use: Sendable {
    /// Some action, which is not known yet.
    case some
    /// The action with a name.
    case action(String)
  }

  /// Whether a rule denies a right.
  private let hasDenials: Bool

  private let set: RuleSet
  /// A bit for each rule of the set that applies to the claims, or `nil` if all do.
  private let applied: [UInt64]?
  /// Rules besides those of the set.
  private let added: [AccessRule]

  /// Whether a rule is about some actions only.
  package let limitsActions: Bool

  /// The rules of the set, and those besides.
  var rules: [AccessRule] { self.set.rules + added }
  let own: [AccessRule]
  let principal: Principal?
  let derived: [DerivedClaim]

  /// The claims that the rules see, with the derived ones, or `nil` for an anonymous request.
  let claims: Claims?

  /// Creates the grants of a principal, or returns `nil` for an anonymous request.
  ///
  /// The claim `reactord` is an object that maps the name of a right to an array of patterns. Each
  /// word `reactord:RIGHT` in the claims `scope`, `scp` and `permissions`, such as `reactord:read`, grants the right to
  /// every target.
  package init(rules: [AccessRule], deriving derived: [DerivedClaim] = [], principal: Principal?) {
    self.init(RuleSet(rules), deriving: derived, principal: principal)
  }

  /// Creates the grants of a principal by the rules of a configuration, and further ones.
  init(
    _ set: RuleSet, adding added: [AccessRule] = [], deriving derived: [DerivedClaim] = [],
    principal: Principal?
  ) {
    self.set = set
    self.added = added
    self.principal = principal
    self.derived = derived
    let claims = principal?.claims.adding(derived)
    self.claims = claims
    applied = claims == nil || set.hasConditions ? set.rules(applyingTo: claims) : nil
    hasDenials = set.hasDenials || added.contains(where: \.isDenial)
    limitsActions = set.limitsActions || added.contains { !$0.actions.isEmpty }
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
    for name in ["scope", "scp", "permissions"] {
      for scope in claims.strings(name) {
        for word in scope.split(separator: " ") {
          let prefix = "reactord:"
          guard word.utf8.starts(with: prefix.utf8),
            let right = Right(name: word.dropFirst(prefix.count))
          else { continue }
          rules.append(AccessRule(allow: right))
        }
      }
    }
    return rules
  }

  /// The maximum number of patterns per right that are read from one token.
  package static let patternLimit = 100

  /// Returns whether the principal has a right to a target; allocates nothing.
  package func allow(_ right: Right, to target: Target, for use: Use = .some) -> Bool {
    (grants(right, target, use, in: own) || grants(right, target, use, in: added)
      || set.contains(about: target, amongst: applied) { isGrant($0, right, target, use) })
      && !(hasDenials && deny(right, target, use))
  }

  private func grants(
    _ right: Right, _ target: Target, _ use: Use, in rules: [AccessRule]
  ) -> Bool {
    rules.contains { $0.applies(to: claims) && isGrant($0, right, target, use) }
  }

  /// Returns whether a rule that applies to the claims grants a right.
  private func isGrant(
    _ rule: AccessRule, _ right: Right, _ target: Target, _ use: Use
  ) -> Bool {
    !rule.isDenial && rule.right.includes(right) && rule.includes(use, of: right)
      && reaches(rule, target)
  }

  private func deny(_ right: Right, _ target: Target, _ use: Use) -> Bool {
    func isDenial(_ rule: AccessRule) -> Bool {
      rule.isDenial && rule.right.denies(right) && rule.includes(use, of: right)
        && covers(rule, target)
    }
    return added.contains { $0.applies(to: claims) && isDenial($0) }
      || set.contains(about: target, amongst: applied, where: isDenial)
  }

  /// Returns whether a rule denies the right to read some sessions of a reactor.
  package func denySome(of reactor: String) -> Bool {
    func isDenial(_ rule: AccessRule) -> Bool {
      rule.isDenial && rule.right == .read
        && rule.sessions?.mayMatch(reactor: reactor, claims: claims) ?? true
    }
    return hasDenials
      && (added.contains { $0.applies(to: claims) && isDenial($0) }
        || set.contains(about: .reactor(reactor), amongst: applied, where: isDenial))
  }

  /// Returns whether a denial is about everything in a target.
  func covers(_ rule: AccessRule, _ target: Target) -> Bool {
    guard let pattern = rule.sessions else { return true }
    switch target {
    case .session: return reaches(rule, target)
    case .reactor: return pattern.hasAllSessions && reaches(rule, target)
    case .service: return false
    }
  }

  func reaches(_ rule: AccessRule, _ target: Target) -> Bool {
    guard let pattern = rule.sessions else { return true }
    switch target {
    case .session(let reactor, let id):
      return pattern.matches(reactor: reactor, session: id, claims: claims)
    case .reactor(let reactor):
      return pattern.mayMatch(reactor: reactor, claims: claims)
    case .service: return false
    }
  }
}
