import Crypto
import Foundation
import Identity

/// JSON Web Tokens that a test signs with a secret of its own.
///
/// Those of other libraries are verified in IdentityTests and EndToEndTests.
enum SignedToken {
  private static let secret = [UInt8](repeating: 7, count: 32)

  /// A token with some claims, as JSON, and an expiry in seconds since 1970.
  static func make(_ claims: String, expiry: Int64 = 4_102_444_800) -> String {
    let header = base64(Array(#"{"alg":"HS256"}"#.utf8))
    let payload = base64(Array(#"{"exp":\#(expiry),\#(claims.dropFirst())"#.utf8))
    let message = header + "." + payload
    return message + "." + base64(MessageAuthentication.code(for: Array(message.utf8), key: secret))
  }

  /// A configuration that accepts these tokens.
  static func configuration(
    rules: String = "[]", leeway: Int64 = 0
  ) throws -> Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    var verification = TokenVerifier.Rules()
    verification.leeway = leeway
    configuration.verifier = TokenVerifier(keys: try keys(), rules: verification)
    configuration.rules = try AccessRule.list(of: Array(rules.utf8))
    return configuration
  }

  /// The key of these tokens.
  static func keys() throws -> KeySet {
    try KeySet(Array(#"{"kty":"oct","k":"\#(base64(secret))"}"#.utf8))
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
