internal import Crypto
internal import Identity
internal import ReactorCore

/// Parses arbitrary bytes as tokens, tickets, keys, patterns, rules and token files.
enum IdentityFuzzing {
  private static let secret = [UInt8](repeating: 7, count: 32)

  private static let keys: KeySet = {
    let digits = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"
    guard let keys = try? KeySet(Array(#"{"kty":"oct","k":"\#(digits)"}"#.utf8)) else {
      preconditionFailure("the key of the fuzzer is a key")
    }
    return keys
  }()

  private static let authenticator: Authenticator = {
    var configuration = Authenticator.Configuration()
    configuration.verifier = TokenVerifier(keys: keys)
    configuration.ticketKey = secret
    return Authenticator(configuration)
  }()

  /// Authenticates the bytes as a token, and verifies a token with a valid signature.
  ///
  /// The header of the signed token is the bytes before the first line break, its payload is the
  /// bytes after it.
  static func token(_ bytes: [UInt8]) {
    require(
      (try? authenticator.authenticate(bytes, at: 0)) == nil, "an unsigned token is rejected")
    _ = try? authenticator.authenticate(ticket: bytes, address: "192.0.2.1", at: 0)
    let parts = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let payload = parts.count > 1 ? Array(parts[1]) : bytes
    for header in [Array(parts[0]), Array(#"{"alg":"HS256"}"#.utf8)] {
      let message = base64(header) + [UInt8(ascii: ".")] + base64(payload)
      let code = MessageAuthentication.code(for: message, key: secret)
      let token = message + [UInt8(ascii: ".")] + base64(code)
      guard let verified = try? TokenVerifier(keys: keys).verify(token, at: 0) else { continue }
      require(!verified.principal.id.isEmpty, "a principal has an id")
      _ = Grants(rules: [], principal: verified.principal)
        .allow(.act, to: .session(reactor: "chat", id: "a"))
    }
  }

  /// Parses a file of keys: JSON or PEM.
  static func keys(_ bytes: [UInt8]) {
    guard let keys = try? KeySet(bytes) else { return }
    require((1...KeySet.limit).contains(keys.count), "a set has a bounded number of keys")
  }

  /// Parses a pattern, the value of `auth.rules`, and a token file.
  static func rules(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let pattern = SessionPattern(text) {
      _ = pattern.matches(reactor: "chat", session: text, claims: nil)
      _ = pattern.mayMatch(reactor: text, claims: nil)
    }
    if let rules = try? AccessRule.list(of: bytes) {
      require(rules.count <= AccessRule.limit, "the number of rules is bounded")
      _ = Grants(rules: rules, principal: nil).allow(.read, to: .service)
    }
    _ = try? StaticTokens(text)
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
    }
    return text
  }
}
