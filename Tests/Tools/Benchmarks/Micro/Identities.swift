import Crypto
import Foundation
import Identity
import SampleToken

extension Scenario {
  /// The cost of tokens and rules, without a server.
  static var identity: Scenario {
    Scenario(
      name: "identity", summary: "known and unknown tokens, 100,000 distinct ones, 1,000 rules"
    ) { bench in
      func report(
        _ load: String, _ name: String, _ values: [Double], _ unit: String, _ most: Double
      ) {
        bench.report(
          Figure(
            load: load, contestant: name, unit: unit, value: Sample(values), aim: .atMost(most)))
      }
      report("a known token", "authentication", try Identities.known(bench.seconds), "µs", 1)
      let (own, floor) = try Identities.unknown(bench.seconds)
      bench.report(
        Figure(
          load: "an unknown RS256 token", contestant: "authentication", unit: "µs",
          value: Sample(own),
          ratio: .init(to: "libcrypto", value: Sample(own, dividedBy: floor)), aim: .atMost(1.2)))
      report(
        "100,000 distinct tokens", "cache", [try Identities.memory(ofTokens: 100_000)], "MB", 40)
      for (name, times) in try Identities.rules(1_000, bench.seconds) {
        report("1,000 rules", name, times, "µs", 5)
      }
    }
  }
}

/// Measures the target Identity.
enum Identities {
  private static let now: Int64 = 1_800_000_000
  private static let secret = [UInt8](repeating: 7, count: 32)

  /// Returns the times of a function in microseconds, each the mean of some calls.
  private static func times(
    _ seconds: Double, calls: Int, _ body: () throws -> Void
  ) rethrows -> [Double] {
    let end = ContinuousClock.now + .seconds(seconds)
    var times: [Double] = []
    while ContinuousClock.now < end { times.append(try time(calls: calls, body)) }
    return times
  }

  /// Returns the mean time of calls in microseconds.
  private static func time(calls: Int, _ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure { for _ in 0..<calls { try body() } } / .microseconds(calls)
  }

  private static func configuration(
    keys: String, rules: String = #"[{"allow":"act","to":"counter/{sub}"}]"#
  ) throws -> Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    configuration.verifier = TokenVerifier(keys: try KeySet(Array(keys.utf8)))
    configuration.rules = try AccessRule.list(of: Array(rules.utf8))
    return configuration
  }

  /// Returns the times of the authentication by a known token, with the check of a right.
  static func known(_ seconds: Double) throws -> [Double] {
    let authenticator = Authenticator(try configuration(keys: SampleToken.keys))
    let field = "Bearer " + SampleToken.text
    return try times(seconds, calls: 1_000) {
      let access = try authenticator.authenticate(authorization: field, at: now)
      guard access?.allows(.act, to: .session(reactor: "counter", id: "posted")) == true else {
        throw BenchmarkError("The token has no right")
      }
    }
  }

  /// Returns the times of the authentication by an unknown token, and of the verification of its signature alone, in turns.
  static func unknown(_ seconds: Double) throws -> (own: [Double], floor: [Double]) {
    var configuration = try configuration(keys: SampleToken.rsaKeys)
    // Two tokens are cached, so that each of three in turn is unknown.
    configuration.cacheLimit = 2
    let authenticator = Authenticator(configuration)
    let key = try VerificationKey(
      modulus: try bytes(SampleToken.rsaModulus), exponent: [1, 0, 1])
    let tokens = try SampleToken.rsaTexts.map { text in
      let parts = text.split(separator: ".")
      return (
        field: "Bearer " + text, message: Array(parts[0...1].joined(separator: ".").utf8),
        signature: try bytes(String(parts[2]))
      )
    }
    var (own, floor): ([Double], [Double]) = ([], [])
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      own.append(
        try time(calls: 100 / tokens.count) {
          for token in tokens {
            _ = try authenticator.authenticate(authorization: token.field, at: now)
          }
        } / Double(tokens.count))
      floor.append(
        try time(calls: 100 / tokens.count) {
          for token in tokens {
            guard key.verifies(token.signature, of: token.message, with: .rs256) else {
              throw BenchmarkError("The signature is wrong")
            }
          }
        } / Double(tokens.count))
    }
    return (own, floor)
  }

  /// Returns the resident memory in megabytes that distinct tokens occupy.
  static func memory(ofTokens count: Int) throws -> Double {
    let authenticator = Authenticator(
      try configuration(keys: #"{"kty":"oct","k":"\#(base64(secret))"}"#))
    let header = base64(Array(#"{"alg":"HS256"}"#.utf8))
    func authenticate(_ number: Int) throws {
      let claims =
        #"{"sub":"user-\#(number)","iss":"https://id.example","aud":"bench","exp":4102444800,"role":"customer"}"#
      let text = header + "." + base64(Array(claims.utf8))
      let code = MessageAuthentication.code(for: Array(text.utf8), key: secret)
      _ = try authenticator.authenticate(
        authorization: "Bearer \(text).\(base64(code))", at: now)
    }
    try authenticate(-1)
    let former = try ResidentMemory.bytes()
    for number in 0..<count { try authenticate(number) }
    return try withExtendedLifetime(authenticator) {
      (try ResidentMemory.bytes() - former) / 1_048_576
    }
  }

  /// Returns the times of a decision by a number of rules, of which the last one grants the right.
  static func rules(_ count: Int, _ seconds: Double) throws -> [(name: String, times: [Double])] {
    let conditions = (0..<count).map {
      #"{"allow":"act","to":"counter/*","if":{"role":"\#($0 == count - 1 ? "customer" : "role-\($0)")"}}"#
    }
    let patterns = (0..<count).map {
      #"{"allow":"act","to":"\#($0 == count - 1 ? "counter" : "reactor-\($0)")/{sub}"}"#
    }
    let denials =
      (0..<count - 1).map { #"{"deny":"act","to":"counter/denied-\#($0)"}"# }
      + [#"{"allow":"act","to":"counter/{sub}"}"#]
    return try [("conditions", conditions), ("patterns", patterns), ("denials", denials)].map {
      name, rules in
      let authenticator = Authenticator(
        try configuration(
          keys: SampleToken.keys, rules: "[\(rules.joined(separator: ","))]"))
      let access = try authenticator.authenticate(
        authorization: "Bearer " + SampleToken.text, at: now)
      return (
        name,
        try times(seconds, calls: 100) {
          guard access?.allows(.act, to: .session(reactor: "counter", id: "posted")) == true else {
            throw BenchmarkError("The rules grant no right")
          }
        }
      )
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static func bytes(_ base64: String) throws -> [UInt8] {
    let text = base64.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: text + padding) else {
      throw BenchmarkError("The text is not base64url")
    }
    return Array(data)
  }
}
