import Identity
import SampleToken

/// The time to authenticate a token that is not in the cache: the signature, the claims and the grants.
enum FirstVerification {
  /// Authenticates the sample token, each time without a cache.
  ///
  /// - Returns: The times in microseconds.
  static func times(count: Int) throws -> [Double] {
    var configuration = Authenticator.Configuration()
    configuration.verifier = TokenVerifier(keys: try KeySet(Array(SampleToken.keys.utf8)))
    configuration.rules = try AccessRule.list(
      of: Array(#"[{"allow":"act","to":"counter/{sub}"}]"#.utf8))
    let clock = ContinuousClock()
    return try (0..<count).map { _ in
      let authenticator = Authenticator(configuration)
      let time = try clock.measure {
        _ = try authenticator.authenticate(
          authorization: "Bearer " + SampleToken.text, at: 1_800_000_000)
      }
      return time / .microseconds(1)
    }
  }
}
