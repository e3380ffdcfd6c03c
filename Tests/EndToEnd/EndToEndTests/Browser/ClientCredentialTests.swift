import Foundation
import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: tabs with different credentials.
  struct ClientCredentialTests {
    private let folder: TemporaryFolder
    private let server: ReactordProcess
    private let page: ClientPage
    private let browser: Browser

    init() throws {
      folder = try TemporaryFolder()
      let file = folder["tokens"]
      try "the-token-of-all-reactors admin\nthe-token-of-one-reactor write chat\n"
        .write(toFile: file, atomically: true, encoding: .utf8)
      server = try ReactordProcess("--auth-tokens", file)
      browser = try Browser()
      page = ClientPage(browser: browser, server: server)
      try page.open()
    }

    /// Opens a session with a token, or without one, as `window.session`.
    private func follow(_ reactor: String, with token: String?) throws {
      try page.run(
        """
        if (second) client.configure({ headers: { Authorization: `Bearer ${second}` } });
        window.session = reactor(first, "demo");
        """, .string(reactor), token.map { .string($0) } ?? .null)
    }

    private static let all = "the-token-of-all-reactors"
    private static let one = "the-token-of-one-reactor"

    @Test func `a tab without a token does not end the session of a tab with one`() throws {
      let first = try browser.window()
      try follow("counter", with: nil)
      try page.expect("session.connection.value", is: "ended")
      try page.expect("session.problem.status", is: 401)
      _ = try browser.openWindow()
      try page.open()
      try follow("counter", with: Self.all)
      try page.expect("session.connection.value", is: "live")
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
      try browser.choose(window: first)
      #expect(try page.run("return session.connection.value") == "ended")
    }

    @Test func `a tab without the right never receives the State of a tab with it`() throws {
      try follow("counter", with: Self.all)
      try page.expect("session.state.value", is: ["value": 0])
      let first = try browser.window()
      _ = try browser.openWindow()
      try page.open()
      try follow("counter", with: Self.one)
      try page.expect("session.connection.value", is: "ended")
      try page.expect("session.problem.status", is: 403)
      #expect(try page.run("return session.state.value ?? null") == nil)
      #expect(
        try page.run("return await session.send('increase').catch(({ status }) => status)") == 403)
      // The other sessions of this token continue.
      try page.run("window.chat = reactor('chat', 'demo')")
      try page.expect("chat.connection.value", is: "live")
      try browser.choose(window: first)
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
    }

    @Test func `tabs with the same token share one connection`() throws {
      for _ in 0..<2 {
        _ = try browser.openWindow()
        try page.open()
        try follow("counter", with: Self.all)
        try page.expect("session.connection.value", is: "live")
      }
      // The stream of the first tab is opened again with the session of the second.
      #expect(
        try eventually {
          let metrics = try server.client().get(
            "/metrics", ["Authorization": "Bearer \(Self.all)"])
          return metrics.text.contains("\nreactord_streams 1\n")
        })
    }

    @Test func `a new token reopens the sessions that ended for lack of one`() throws {
      try follow("counter", with: "not-a-valid-token")
      try page.expect("session.connection.value", is: "ended")
      #expect(
        try page.run("return await session.send('increase').catch(({ status }) => status)") == 401)
      try follow("counter", with: Self.all)
      try page.expect("session.connection.value", is: "live")
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
    }

    @Test func `a State is not restored for another credential`() throws {
      try follow("counter", with: Self.all)
      try page.expect("session.state.value", is: ["value": 0])
      try browser.reload()
      try follow("counter", with: nil)
      #expect(try page.run("return session.state.value ?? null") == nil)
      try page.expect("session.connection.value", is: "ended")
    }

    @Test func `a State is neither shown nor stored after its credential was removed`() throws {
      try follow("counter", with: Self.all)
      try page.expect("session.state.value", is: ["value": 0])
      // The State is stored with its credential.
      try browser.reload()
      try follow("counter", with: Self.all)
      try page.expect("session.connection.value", is: "live")
      try page.run("client.configure({ headers: {} })")
      try page.expect("session.connection.value", is: "ended")
      #expect(
        try page.run("return [session.state.value ?? null, session.confirmed ?? null]") == [
          nil, nil,
        ])
      try browser.reload()
      #expect(
        try page.run("return Object.values(sessionStorage).filter((it) => it.includes('value'))")
          == [])
      #expect(try page.run("return reactor('counter', 'demo').state.value ?? null") == nil)
    }

    @Test func `a State is not sent to the tabs of another credential`() throws {
      try follow("counter", with: Self.all)
      try page.expect("session.state.value", is: ["value": 0])
      try page.run(
        """
        window.joined = [];
        const post = BroadcastChannel.prototype.postMessage;
        BroadcastChannel.prototype.postMessage = function (message) {
          if (message.held) joined.push(...Object.values(message.held));
          post.call(this, message);
        };
        """)
      let second = try browser.window()
      _ = try browser.openWindow()
      try page.open()
      try follow("chat", with: Self.one)
      try page.expect("session.connection.value", is: "live")
      try browser.choose(window: second)
      try page.run(
        "client.configure({ headers: { Authorization: `Bearer ${first}` } })", .string(Self.one))
      try page.expect("session.connection.value", is: "ended")
      #expect(try page.run("return joined.filter(Boolean)") == [])
      #expect(try page.run("return joined.length > 0") == true)
    }
  }
}
