import Foundation
import PublicTestData
import Testing

/// The steps of the guide "Users and rights" are executed.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct UsersAndRightsTests {
  private static let root = Guide.root

  private static func blocks() throws -> [Guide.Block] {
    try Guide("Sources/Server/ReactorService/Documentation.docc/UsersAndRights.md").blocks
  }

  @Test(arguments: ["BoardDelegate.swift", "CartDelegate.swift", "main.swift"])
  func `the guide quotes the files that are compiled`(file: String) throws {
    let code = try String(
      contentsOf: Self.root.appending(path: "Tests/Examples/UsersAndRights/\(file)"),
      encoding: .utf8)
    #expect(try Self.blocks().contains { $0.language == "swift" && $0.code == code })
  }

  /// Runs commands of the guide and returns their output.
  private func shell(_ code: String, in folder: TemporaryFolder, _ variables: [String: String])
    throws -> String
  {
    let process = try ChildProcess(
      "/usr/bin/bash", ["-eu", "-c", "cd '\(folder.path)'\n" + code],
      environment: variables)
    #expect(try process.wait() == .code(0), "\(code)\n\(process.standardError)")
    return process.standardOutput
  }

  @Test func `each command has the output that the guide shows`() throws {
    let provider = try IdentityProvider()
    let folder = try TemporaryFolder()
    var blocks = try Self.blocks()[...]
    var variables = [
      "ISSUER": "http://127.0.0.1:\(provider.port)", "ADA": try provider.token("sub=ada"),
      "EVE": try provider.token("sub=eve"), "STAFF": try provider.token("sub=sam&role=staff"),
    ]
    var service: ReactordProcess?
    defer { withExtendedLifetime(service) {} }
    var commands = 0
    while let block = blocks.popFirst() {
      if block.language == "json5" {
        let path = folder["reactord.json5"]
        try block.code.replacing("\"keys.json\"", with: "\"\(folder["keys.json"])\"")
          .write(toFile: path, atomically: true, encoding: .utf8)
        let started = try ReactordProcess(["--config", path], program: "cart")
        variables["URL"] = "http://127.0.0.1:\(started.port)"
        service = started
      } else if block.language == "sh" {
        commands += 1
        let output = try shell(block.code, in: folder, variables)
        guard let expected = blocks.first, expected.language.isEmpty else { continue }
        let lines = output.hasSuffix("\n") ? output : output + "\n"
        #expect(lines.replacing("}{", with: "}\n{") == expected.code, "\(block.code)")
      }
    }
    #expect(commands >= 7)
    #expect(try StaticTokenFile.isAccepted(folder["tokens"]))
  }

  private enum StaticTokenFile {
    /// Whether a service accepts the token of the guide's file.
    static func isAccepted(_ path: String) throws -> Bool {
      let server = try ReactordProcess("--auth-tokens", path)
      let token = "a-long-random-text-of-yours".asBearer
      return try server.client().get("/metrics", token).status == 200
    }
  }
}

extension ClientBrowserTests {
  /// `/reactor.js`: tokens of a function.
  @Suite(.enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
  struct ClientTokenTests {
    private let provider: IdentityProvider
    private let server: ReactordProcess
    private let page: ClientPage
    private let folder: TemporaryFolder

    init() throws {
      provider = try IdentityProvider()
      folder = try TemporaryFolder()
      try provider.keys().write(toFile: folder["keys"], atomically: true, encoding: .utf8)
      server = try ReactordProcess(
        [
          "--auth-jwt-keys", folder["keys"], "--auth-jwt-leeway", "0", "--auth-rules",
          #"[{"allow":"act","to":"cart/{sub}"}]"#,
        ], program: "cart")
      page = ClientPage(browser: try Browser(), server: server)
      try page.open()
    }

    @Test func `the page of the guide sends its action`() throws {
      let guide = try String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
          path: "../../../../Sources/Server/ReactorService/Documentation.docc/UsersAndRights.md"),
        encoding: .utf8)
      let code = try #require(
        guide.components(separatedBy: "```js\n").last?
          .components(separatedBy: "```").first)
      let state = try page.run(
        "const signIn = async () => first;\n\(code)\nreturn cart.state.value;",
        .string(try provider.token("sub=ada")))
      #expect(state["items"] == ["Milk"])
    }

    @Test func `a token that expires is replaced, and the page notices nothing`() throws {
      var statuses: JSON?
      // Repeat the attempt with a later expiry: on a busy machine, the token can expire before the page
      // has replaced it.
      for (index, seconds) in [3, 15, 60].enumerated() where statuses != ["connecting", "live"] {
        try page.open()
        try page.run(
          """
          window.tokens = [first, second];
          window.asked = 0;
          window.statuses = [];
          client.configure({ token: async () => tokens[Math.min(asked++, 1)] });
          window.cart = reactor("cart", "ada");
          cart.connection.subscribe((status) => statuses.push(status));
          """,
          .string(try provider.token("sub=ada&exp=\(seconds)")),
          .string(try provider.token("sub=ada")))
        try page.expect("cart.connection.value", is: "live")
        try page.expect("asked", is: 2)
        let items = JSON.array(Array(repeating: "Tea", count: index + 1))
        #expect(try page.run("return (await cart.send({ add: 'Tea' })).items") == items)
        try page.expect("cart.state.value.items.length", is: .number(Double(index + 1)))
        // The stream of the first token continues with the second one.
        try page.expect(
          "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/credential'))",
          is: true)
        statuses = try page.run("return statuses")
      }
      #expect(statuses == ["connecting", "live"])
    }

    @Test func `a rejected token is replaced once`() throws {
      try page.run(
        """
        window.asked = 0;
        client.configure({ token: () => (asked++ ? first : "not-a-valid-token") });
        window.cart = reactor("cart", "ada");
        """, .string(try provider.token("sub=ada")))
      try page.expect("cart.connection.value", is: "live")
      try page.expect("asked", is: 2)
    }

    @Test func `a token without the right ends the session`() throws {
      try page.run(
        """
        client.configure({ token: () => first });
        window.cart = reactor("cart", "ada");
        """, .string(try provider.token("sub=eve")))
      try page.expect("cart.connection.value", is: "ended")
      try page.expect("cart.problem.status", is: 403)
    }
  }
}
