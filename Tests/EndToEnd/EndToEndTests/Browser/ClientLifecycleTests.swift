import Testing

extension ClientBrowserTests {
  /// `/reactor.js` in pages that the browser freezes, restores or hides.
  ///
  /// The heartbeats are so far apart that no watchdog ends a stale stream during a test.
  struct ClientLifecycleTests {
    private let server: ReactordProcess
    private let page: ClientPage
    private let browser: Browser
    private let session: SessionClient

    init() throws {
      server = try ReactordProcess("--streams-heartbeat", "600")
      browser = try Browser()
      page = ClientPage(browser: browser, server: server)
      session = server.session(of: "counter")
      try session.post("[]")
      try page.open()
      try page.follow(session)
    }

    private func set(_ window: String, _ state: String) throws {
      try browser.choose(window: window)
      try browser.development("Page.setWebLifecycleState", ["state": .string(state)])
    }

    @Test func `a page is up to date after it was frozen`() throws {
      let frozen = try browser.window()
      try set(frozen, "frozen")
      #expect(try eventually { try session.subscribers() == 0 })
      try session.post(#"{"add":5}"#)
      try set(frozen, "active")
      try page.expect("session.state.value", is: ["value": 5])
      try page.expect("seen", is: [0, 5])
      #expect(try page.run("return await session.send('increase')") == ["value": 6])
    }

    @Test func `a frozen tab passes the connection on`() throws {
      let first = try browser.window()
      let second = try browser.openWindow()
      try page.open()
      try page.follow(session)
      try set(first, "frozen")
      try browser.choose(window: second)
      for value in 1...3 {
        try session.post(#""increase""#)
        try page.expect("session.state.value.value", is: .number(Double(value)))
      }
      try set(first, "active")
      try page.expect("session.state.value", is: ["value": 3])
      #expect(try eventually { try server.streams() == 1 })
    }

    @Test func `a page that returns from the back-forward cache is up to date`() throws {
      try page.run("window.isSamePage = true; location.href = '/problems/not-acceptable'")
      try browser.expect("return location.pathname", is: "/problems/not-acceptable")
      #expect(try eventually { try session.subscribers() == 0 })
      try session.post(#"{"add":7}"#)
      try browser.run("history.back()")
      try browser.expect("return location.pathname", is: "/problems/not-found")
      #expect(try page.run("return window.isSamePage ?? false") == true)
      try page.expect("session.state.value", is: ["value": 7])
    }

    @Test func `a hidden page closes a connection that it does not share`() throws {
      try page.run(
        """
        const real = window.setTimeout;
        window.setTimeout = (action, pause, ...rest) =>
          real(action, pause === 30_000 ? 0 : pause, ...rest);
        Object.defineProperty(document, "hidden", { get: () => window.isHidden });
        window.show = (isVisible) => {
          window.isHidden = !isVisible;
          document.dispatchEvent(new Event("visibilitychange"));
        };
        client.configure({ isShared: false });
        """)
      try page.expect("session.connection.value", is: "live")
      try page.run("show(false)")
      #expect(try eventually { try session.subscribers() == 0 })
      try session.post(#"{"add":5}"#)
      #expect(try page.run("return session.state.value") == ["value": 0])
      try page.run("show(true)")
      try page.expect("session.state.value", is: ["value": 5])
      try page.expect("seen", is: [0, 5])
    }

    @Test func `a stream may be silent for three of the heartbeats that the server announces`()
      throws
    {
      let head = try EventStream(port: server.port, session.path + "/events").head
      #expect(head["Heartbeat-Interval"] == "600")
      try page.open()
      try browser.run(
        """
        const setTimeout = window.setTimeout;
        window.delays = [];
        window.setTimeout = (action, delay, ...rest) => {
          delays.push(delay);
          return setTimeout(action, delay, ...rest);
        };
        """)
      try page.follow(session)
      try page.expect("delays.includes(1_800_000)", is: true)
    }
  }
}
