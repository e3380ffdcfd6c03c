import Foundation
import PublicTestData
import Testing

/// The sections of the article "Settings for identity providers" are executed, with keys of the test.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct ProviderGuideTests {
  private static let names = [
    "Keycloak", "Auth0", "Okta", "Entra", "Google", "Cognito", "Firebase", "Kubernetes",
    "GitHub Actions",
  ]

  /// The blocks of each section: the settings, the claims of a token, and the command.
  private static func blocks() throws -> [Guide.Block] {
    try Guide("Sources/Server/ReactorService/Documentation.docc/Providers.md").blocks
  }

  private static func object(_ json: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any], "\(json)")
  }

  private static func text(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  @Test func `the article has a section for each provider`() throws {
    #expect(
      try Self.blocks().map(\.language)
        == Array(repeating: ["json", "json", ""], count: Self.names.count).flatMap { $0 })
  }

  @Test(arguments: names.indices)
  func `the command explains that the token of the section has the right`(index: Int) throws {
    let blocks = try Self.blocks()[(3 * index)...].prefix(3).map(\.code)
    let provider = try IdentityProvider("rsa")
    let folder = try TemporaryFolder()
    var settings = try Self.object(blocks[0])
    var auth = try #require(settings["auth"] as? [String: Any])
    var issuers = try #require(auth["issuers"] as? [[String: Any]])
    // The provider of the test has the keys.
    for issuer in issuers.indices { issuers[issuer]["keys"] = "\(provider.issuer)/jwks" }
    auth["issuers"] = issuers
    settings["auth"] = auth
    try Self.text(settings).write(
      toFile: folder["reactord.json5"], atomically: true, encoding: .utf8)

    func explain(_ claims: [String: Any]) throws -> (exit: ChildProcess.Exit, output: String) {
      try provider.token(claims: Self.text(claims)).write(
        toFile: folder["token"], atomically: true, encoding: .utf8)
      let words = blocks[2].split(whereSeparator: \.isWhitespace).map { word in
        ["reactord.json5", "token"].contains(word) ? folder[String(word)] : String(word)
      }
      let process = try ReactordProcess.launch(Array(words.dropFirst()))
      let exit = try process.wait()
      return (exit, process.standardOutput + process.standardError)
    }
    var claims = try Self.object(blocks[1])
    let allowed = try explain(claims)
    #expect(allowed.exit == .code(0), "\(Self.names[index]): \(allowed.output)")
    #expect(allowed.output.contains("It grants the right."))
    // The same token for another service.
    claims["aud"] = "another"
    if claims["client_id"] != nil { claims["client_id"] = "another" }
    let denied = try explain(claims)
    #expect(denied.exit == .code(77), "\(Self.names[index]): \(denied.output)")
  }
}
