import Foundation
import PublicTestData
import Testing

/// Every row of the list of attacks on tokens, over HTTP.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct AttackTests {
  private static let samples = Result { try make() }

  /// Returns the keys and tokens that `IdentityTests/tokens.py` creates for the current time.
  private static func make() throws -> JSON {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Server/IdentityTests/tokens.py").standardizedFileURL.path
    let now = Int(Date.now.timeIntervalSince1970)
    let (exit, output) = try PythonTool.run("python", ["-W", "ignore", script, "\(now)"])
    #expect(exit == .code(0))
    return try JSON(parsing: output)
  }

  @Test func `each attack is 401 with its reason, and a genuine token is not`() throws {
    let samples = try Self.samples.get()
    let folder = try TemporaryFolder()
    let keys = try #require(samples["jwks"]).text
    try keys.write(toFile: folder["keys.json"], atomically: true, encoding: .utf8)
    let server = try ReactordProcess(
      "--auth-jwt-keys", folder["keys.json"], "--auth-jwt-audience", "reactord",
      "--auth-jwt-issuer", "https://id.example", "--auth-rules", #"[{"allow":"read"}]"#,
      "--http-proxies", "127.0.0.1")
    let session = server.session(of: "counter")
    for (library, names) in [("pyjwt", 13), ("joserfc", 13)] {
      let tokens = try #require(samples[library])
      #expect(tokens.names.count == names)
      for name in tokens.names {
        let token = tokens[name]?.string ?? ""
        #expect(try session.state("", token.asBearer).status == 200, "\(library) \(name)")
      }
    }
    let attacks = try #require(samples["attacks"])
    #expect(attacks.names.count > 30)
    for (number, name) in attacks.names.enumerated() {
      // These tokens become valid within a minute. TokenVerifierTests tests them with a virtual
      // clock.
      guard !["not yet valid", "issued in the future"].contains(name) else { continue }
      // A header field cannot contain a line break, and an empty credential counts as no
      // credential.
      guard let token = attacks[name]?.string, !token.isEmpty, !token.contains("\n") else {
        continue
      }
      // An address may fail ten times per second only.
      let address = ["X-Forwarded-For": "192.0.2.\(number % 250)"]
      let response = try session.state("", token.asBearer.merging(address) { $1 })
      #expect(response.status == 401, "\(name)")
      let reason = response["WWW-Authenticate"] ?? ""
      #expect(reason.contains(#"error="invalid_token", error_description=""#), "\(name): \(reason)")
      #expect(!response.text.contains(token))
    }
    #expect(!server.standardError.contains("eyJ"))
  }
}
