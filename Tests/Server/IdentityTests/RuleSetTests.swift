import ReactorCore
import Testing

@testable import Identity

/// Decisions look at the rules about their target only, and are those of all rules.
struct RuleSetTests {
  private static let patterns: [String?] = [
    nil, "cart/*", "cart/ada", "cart/{sub}", "*/ada", "c*/*", "note/ada", "{sub}/x", "cart/a*",
    "ada/x",
  ]

  private static let targets: [Grants.Target] = [
    .service, .reactor("cart"), .reactor("note"), .reactor("ada"),
    .session(reactor: "cart", id: "ada"), .session(reactor: "cart", id: "x"),
    .session(reactor: "note", id: "ada"), .session(reactor: "ada", id: "x"),
    .session(reactor: "", id: ""), .session(reactor: "cart/ada", id: ""),
  ]

  private func rules(_ generator: inout some RandomNumberGenerator) -> [AccessRule] {
    (0..<Int.random(in: 0...70, using: &generator)).map { _ in
      var rule = AccessRule(
        allow: .allCases.randomElement(using: &generator) ?? .read,
        to: Self.patterns.randomElement(using: &generator).flatMap { $0 }.flatMap {
          SessionPattern($0)
        },
        if: Bool.random(using: &generator)
          ? [.init(claim: "role", text: Bool.random(using: &generator) ? "staff" : "guest")] : [])
      rule.isDenial = Int.random(in: 0..<4, using: &generator) == 0
      rule.includesAnonymous = rule.conditions.isEmpty && Bool.random(using: &generator)
      return rule
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a decision is that of all rules`(seed: UInt64) {
    var generator = Generator(state: seed)
    let rules = rules(&generator)
    let ada = Principal(
      id: "ada", claims: Claims([("sub", .string("ada")), ("role", .string("staff"))]))
    for principal in [ada, nil] {
      let grants = Grants(rules: rules, principal: principal)
      let single = rules.map { Grants(rules: [$0], principal: principal) }
      for target in Self.targets {
        for right in Right.allCases {
          // Without a set: each rule alone, of which a denial grants nothing.
          let isGranted = single.contains { $0.allow(right, to: target) }
          let isDenied = zip(rules, single).contains { rule, grants in
            rule.isDenial && rule.right.denies(right) && rule.applies(to: grants.claims)
              && grants.covers(rule, target)
          }
          #expect(
            grants.allow(right, to: target) == (isGranted && !isDenied),
            "\(right.name) to \(target)")
        }
      }
    }
  }

  /// The generator of Vigna (SplitMix64), so that a failure can be repeated.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }
}
