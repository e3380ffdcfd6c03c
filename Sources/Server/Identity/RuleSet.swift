internal import ReactorCore

/// The rules of a configuration, found by their targets.
///
/// A decision looks at the rules about its reactor or session only, so that its cost does not grow with the rules about
/// others. Texts are found by a hash of their bytes, and then compared; a lookup allocates nothing.
final class RuleSet: Sendable {
  let rules: [AccessRule]

  /// Whether a rule denies a right.
  let hasDenials: Bool

  /// Whether a rule is about some actions only.
  let limitsActions: Bool

  /// Whether a rule has conditions.
  let hasConditions: Bool

  /// The rules without a pattern.
  private let unlimited: [Int]
  /// The rules whose pattern names no single reactor.
  private let open: [Int]
  /// The rules whose pattern names a single reactor and no single session, by the hash of the reactor.
  private let byReactor: [UInt64: [Int]]
  /// Those whose pattern names a single session, by the hash of the session, and by that of its reactor.
  private let bySession: [UInt64: [Int]]
  private let bySessionsReactor: [UInt64: [Int]]

  init(_ rules: [AccessRule]) {
    self.rules = rules
    hasDenials = rules.contains(where: \.isDenial)
    limitsActions = rules.contains { !$0.actions.isEmpty }
    hasConditions = rules.contains { !$0.conditions.isEmpty }
    var (unlimited, open): ([Int], [Int]) = ([], [])
    var (byReactor, bySession, bySessionsReactor): (_, _, [UInt64: [Int]]) = (
      [UInt64: [Int]](), [UInt64: [Int]](), [:]
    )
    for (index, rule) in rules.enumerated() {
      guard let pattern = rule.sessions else {
        unlimited.append(index)
        continue
      }
      guard let reactor = pattern.onlyReactor else {
        open.append(index)
        continue
      }
      let hash = Self.hash(of: reactor)
      if let session = pattern.onlySession {
        bySession[Self.hash(of: session, after: hash), default: []].append(index)
        bySessionsReactor[hash, default: []].append(index)
      } else {
        byReactor[hash, default: []].append(index)
      }
    }
    (self.unlimited, self.open, self.byReactor) = (unlimited, open, byReactor)
    (self.bySession, self.bySessionsReactor) = (bySession, bySessionsReactor)
  }

  /// Returns a bit for each rule that applies to some claims.
  func rules(applyingTo claims: Claims?) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: (rules.count + 63) / 64)
    for (index, rule) in rules.enumerated() where rule.applies(to: claims) {
      bits[index / 64] |= 1 << UInt64(index % 64)
    }
    return bits
  }

  /// Returns whether a rule that may be about a target has a property.
  ///
  /// - Parameters:
  ///   - target: The target.
  ///   - applied: A bit for each rule that is considered, or `nil` for all.
  ///   - hasProperty: Returns whether a rule has the property.
  /// - Returns: Whether there is one.
  func contains(
    about target: Grants.Target, amongst applied: [UInt64]?,
    where hasProperty: (AccessRule) -> Bool
  ) -> Bool {
    func isFound(_ index: Int) -> Bool {
      if let applied, applied[index / 64] & 1 << UInt64(index % 64) == 0 { return false }
      return hasProperty(rules[index])
    }
    if unlimited.contains(where: isFound) { return true }
    switch target {
    case .service: return false
    case .session(let reactor, let id):
      let hash = Self.hash(of: reactor)
      return open.contains(where: isFound) || byReactor[hash]?.contains(where: isFound) == true
        || !bySession.isEmpty
          && bySession[Self.hash(of: id, after: hash)]?.contains(where: isFound) == true
    case .reactor(let reactor):
      let hash = Self.hash(of: reactor)
      return open.contains(where: isFound) || byReactor[hash]?.contains(where: isFound) == true
        || bySessionsReactor[hash]?.contains(where: isFound) == true
    }
  }

  /// Returns the hash of Fowler, Noll and Vo (FNV-1a) of a text, or of two.
  private static func hash(of text: String, after first: UInt64? = nil) -> UInt64 {
    var hash = first.map { ($0 ^ 0xFF) &* 0x100_0000_01B3 } ?? 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
