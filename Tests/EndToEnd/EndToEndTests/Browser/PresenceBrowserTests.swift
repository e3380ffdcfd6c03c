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
      // The State is updated over the stream that was opened for the presence.
      try session.post(#""increase""#)
      try page.expect("seen.at(-1)", is: 1)
    }

    @Test func `signals reach the subscribers in order, with their sender`() throws {
      try page.run("client.configure({ name: 'Ada' })")
      try page.follow(session)
      try page.run(
        """
        window.signals = [];
        session.signals.subscribe((signal) => signals.push(signal));
        """)
      // The page opens its stream again, with signals.
      let stream = try session.events("?signals=true")
      #expect(try stream.nextEvent()?.data == #"{"value":0}"#)
      #expect(
        try eventually {
          // A signal above the rate is rejected.
          try page.run("await session.signal('probe').catch(() => {})")
          return try page.run("return signals.length > 0") == true
        })
      // Some of the probes can still be outbound, and can have used up the rate.
      try page.run(
        """
        for (let i = 0; i < 10;) {
          try {
            await session.signal({ i });
            i += 1;
          } catch (problem) {
            if (problem.status !== 429) throw problem;
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        }
        """)
      try page.expect(
        "signals.filter(({ signal }) => signal !== 'probe').map(({ signal }) => signal.i)",
        is: .array((0..<10).map { .number(Double($0)) }))
      try page.expect("signals.every(({ from }) => from === 'Ada')", is: true)
      while let event = try stream.nextEvent() {
        #expect(event.event == "signal")
        #expect(try event.json["from"] == "Ada")
        if try event.json["signal"]?["i"]?.int == 9 { break }
      }
      #expect(try session.log().text == "[]")
    }

    @Test func `a signal that is too large is rejected with a problem`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          return await session.signal("x".repeat(5000)).catch(({ status }) => status);
          """) == 413)
      try page.run("return await session.signal(1)")
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
      let signal = try session.client.send(
        "POST", session.path + "/signals?name=Ben", json: #"{"at":[3,4]}"#)
      #expect(signal.status == 204)
      try page.expectText(#"Ben {"at":[3,4]}"#, in: "#signals")
      for stream in streams { stream.abort() }
      try page.expectText("1 stream shows this session.", in: "#subscribers")
      try page.expectNoComplaints()
    }
  }
}
