import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: the subscribers of a session.
  struct PresenceBrowserTests {
    let page: ClientPage
    let session: SessionClient

    init() throws {
      let server = try ReactordProcess.shared.get()
      page = ClientPage(browser: try Browser(), server: server)
      session = server.session(of: "counter")
      try page.open()
    }

    @Test func `a page that asks for the presence gets it, with the names of others`() throws {
      try page.run("client.configure({ name: 'Ada' })")
      try page.follow(session)
      try page.run(
        """
        window.names = [];
        session.presence.subscribe(({ subscribers }) => { window.names = subscribers; });
        """)
      try page.expect("names", is: [["name": "Ada", "streams": 1]])
      let stream = try session.events("?name=Ben")
      try page.expect("names.map(({ name }) => name)", is: ["Ada", "Ben"])
      stream.abort()
      try page.expect("names.map(({ name }) => name)", is: ["Ada"])
      // The State continued over the stream that was opened for the presence.
      try session.post(#""increase""#)
      try page.expect("seen.at(-1)", is: 1)
    }

    @Test func `a page with another name subscribes under it`() throws {
      try page.run("client.configure({ name: 'Ada' })")
      try page.follow(session)
      try page.run("session.presence.subscribe(() => {}); client.configure({ name: 'Eve' });")
      try page.expect("session.presence.value?.subscribers", is: [["name": "Eve", "streams": 1]])
      try page.expect("session.connection.value", is: "live")
    }
  }
}

extension InspectorBrowserTests {
  /// The inspector: the subscribers of a session.
  struct SubscriberPanelTests {
    @Test func `the subscribers are listed by name`() throws {
      let server = try ReactordProcess.shared.get()
      let page = InspectorPage(browser: try Browser(), server: server)
      let session = server.session(of: "counter")
      try page.open(session)
      try page.expectText("1 stream shows this session.", in: "#subscribers")
      let streams = try (0..<2).map { _ in try session.events("?name=Ben") }
      try page.expectText("3 streams show this session.", in: "#subscribers")
      try page.expectText("Ben × 2", in: "#names")
      for stream in streams { stream.abort() }
      try page.expectText("1 stream shows this session.", in: "#subscribers")
      try page.expectNoComplaints()
    }
  }
}
