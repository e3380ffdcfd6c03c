import Foundation
import Identity
import Telemetry
import Testing

@testable import ReactorService

/// `reactord auth explain`, and the file `auth.revoked`.
struct ExplainCommandTests {
  private static let rules =
    #"[{"allow":"act","to":"cart/{sub}"},{"allow":"read","anonymous":true}]"#

  private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result
  {
    let path = NSTemporaryDirectory() + "reactord-explain-\(UUID().uuidString)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  private func answer(
    _ flags: [String], token: String, tokens: String = "a-long-random-text manage cart as=robot\n"
  ) throws -> (lines: [String], isAllowed: Bool) {
    try withFile(tokens) { path in
      let line = CommandLineCase(
        arguments: ["auth", "explain"] + flags
          + ["--auth-tokens", path, "--auth-rules", Self.rules],
        environment: ["REACTORD_TOKEN": token])
      guard case .explain(let command, let configuration) = try line.parse() else {
        Issue.record("not the command")
        return ([], false)
      }
      let files = CredentialFiles(
        settings: configuration.authentication, reactors: nil, logger: .silent)
      let credentials = try #require(try files.configuration())
      return command.explain(Authenticator(credentials), command.token, at: 0)
    }
  }

  @Test func `each rule says what the request lacks`() throws {
    let allowed = try answer(["--right", "manage", "--on", "cart/x"], token: "a-long-random-text")
    #expect(allowed.isAllowed)
    #expect(
      allowed.lines == [
        "token accepted: principal robot", "allowed: manage on cart/x",
        "  auth.rules/0 (act to cart/{sub}): It grants act, not manage.",
        "  auth.rules/1 (read): It grants read, not manage.",
        "  auth.tokens (manage to cart/*): It grants the right.",
      ])
    let denied = try answer(["--right", "act", "--on", "note/x"], token: "a-long-random-text")
    #expect(!denied.isAllowed)
    #expect(
      denied.lines.last == #"  auth.tokens (manage to cart/*): The pattern stands for "cart/*"."#)
  }

  @Test func `an unknown token and an anonymous request are explained`() throws {
    let unknown = try answer(["--right", "read"], token: "another-random-text")
    #expect(unknown.lines == ["token rejected: The token is unknown"])
    let anonymous = try answer(["--right", "read"], token: "")
    #expect(anonymous.lines.first == "no token: the request is anonymous")
    #expect(anonymous.isAllowed)
  }

  @Test(arguments: [[], ["--right", "x"], ["--right"]])
  func `a right is needed`(flags: [String]) {
    let line = CommandLineCase(arguments: ["auth", "explain"] + flags)
    #expect(line.error()?.exitCode == 64)
  }

  @Test(arguments: [("[]", true), (#"[{"sub":"robot"}]"#, false)])
  func `a file revokes a static token by its name`(text: String, isAccepted: Bool) throws {
    try withFile("a-long-random-text manage as=robot\n") { tokens in
      try withFile(text) { path in
        var settings = AuthenticationSettings()
        (settings.tokenFile, settings.revokedFile) = (tokens, path)
        #expect(settings.files.contains(path))
        let files = CredentialFiles(settings: settings, reactors: [], logger: .silent)
        let authenticator = Authenticator(try #require(try files.configuration()))
        let access = try? authenticator.authenticate(Array("a-long-random-text".utf8), at: 0)
        #expect((access != nil) == isAccepted)
      }
    }
  }

  @Test(arguments: ["", "{}", #"[{"sub":1}]"#])
  func `a malformed file of revoked credentials is an error`(text: String) throws {
    try withFile("a-long-random-text manage as=robot\n") { tokens in
      try withFile(text) { path in
        var settings = AuthenticationSettings()
        (settings.tokenFile, settings.revokedFile) = (tokens, path)
        let files = CredentialFiles(settings: settings, reactors: [], logger: .silent)
        let error = #expect(throws: ConfigurationError.self) { try files.configuration() }
        #expect(error?.message.hasPrefix("auth.revoked: \(path): ") == true)
      }
    }
  }

  @Test func `revoked credentials without credentials are an error`() throws {
    var settings = AuthenticationSettings()
    settings.revokedFile = "/nothing"
    let files = CredentialFiles(settings: settings, reactors: [], logger: .silent)
    #expect(throws: ConfigurationError.self) { try files.configuration() }
  }
}
