import Foundation
import PublicTestData
import Testing

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
          "--auth-jwt-keys", folder["keys"], "--auth-rules",
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
        """
        sessionStorage.setItem("token", first);
        const { configure } = client;
        \(code.replacing(#"import { configure, reactor } from "/reactor.js";"#, with: ""))
        return cart.state.value;
        """,
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
