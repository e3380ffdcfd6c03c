import Glibc
import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: the connection that tabs share.
  struct TabTests {
    let page: ClientPage
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess()
      browser = try Browser()
      page = ClientPage(browser: browser, server: server)
      try page.open()
    }

    @Test func `two tabs share one connection`() throws {
      let (one, other) = (server.session(of: "counter"), server.session(of: "counter"))
      for session in [one, other] { try session.post("[]") }
      let first = try browser.window()
      try page.follow(one)
      _ = try browser.openWindow()
      try page.open()
      try page.follow(other)
      #expect(try eventually { try server.streams() == 1 })
      // A session that both tabs show is subscribed to only once.
      try page.run("window.both = reactor('counter', first)", .string(one.id))
      try page.expect("both.state.value", is: ["value": 0])
      #expect(try eventually { try one.subscribers() == 1 })

      try one.post(#"{"add":3}"#)
      try page.expect("both.state.value", is: ["value": 3])
      #expect(try page.run("return await both.send('increase')") == ["value": 4])
      try browser.choose(window: first)
      try page.expect("session.state.value", is: ["value": 4])
      #expect(try eventually { try server.streams() == 1 })
    }

    @Test func `eight tabs work, although a browser opens at most six connections`() throws {
      let session = server.session(of: "counter")
      var windows = [try browser.window()]
      try page.follow(session)
      for _ in 1..<8 {
        windows.append(try browser.openWindow())
        try page.open()
        try page.follow(session)
      }
      for (index, window) in windows.enumerated() {
        try browser.choose(window: window)
        #expect(
          try page.run("return await session.send('increase')") == [
            "value": .number(Double(index + 1))
          ])
      }
      for window in windows {
        try browser.choose(window: window)
        try page.expect("session.state.value", is: ["value": 8])
      }
      #expect(try eventually { try server.streams() == 1 })
    }

    @Test func `another tab takes over without a gap or a duplicate`() throws {
      let session = server.session(of: "counter")
      let first = try browser.window()
      try page.follow(session)
      let second = try browser.openWindow()
      try page.open()
      try page.follow(session)
      let third = try browser.openWindow()
      try page.open()
      try page.follow(session)
      for value in 1...3 {
        try session.post(#""increase""#)
        for window in [second, third] {
          try browser.choose(window: window)
          try page.expect("seen.at(-1)", is: .number(Double(value)))
        }
      }

      // Close the first tab, which opened the connection.
      try browser.choose(window: first)
      try browser.closeWindow(andChoose: second)
      for value in 4...6 {
        try session.post(#""increase""#)
        for window in [second, third] {
          try browser.choose(window: window)
          try page.expect("seen.at(-1)", is: .number(Double(value)))
        }
      }
      for window in [second, third] {
        try browser.choose(window: window)
        try page.expect("seen", is: [0, 1, 2, 3, 4, 5, 6])
      }
      #expect(try eventually { try server.streams() == 1 })
    }

    @Test func `the sessions of a closed tab are left`() throws {
      let (one, other) = (server.session(of: "counter"), server.session(of: "counter"))
      for session in [one, other] { try session.post("[]") }
      let first = try browser.window()
      try page.follow(one)
      _ = try browser.openWindow()
      try page.open()
      try page.follow(other)
      #expect(try eventually { try other.subscribers() == 1 })
      try browser.closeWindow(andChoose: first)
      #expect(try eventually { try other.subscribers() == 0 })
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
    }

    @Test(arguments: ["locks", "BroadcastChannel"])
    func `without locks or channels each page has its own connection`(missing: String) throws {
      let session = server.session(of: "counter")
      for _ in 0..<2 {
        _ = try browser.openWindow()
        try page.open()
        try browser.run(
          """
          if (arguments[0] === "locks") {
            Object.defineProperty(navigator, "locks", { value: undefined });
          } else {
            delete window.BroadcastChannel;
          }
          """, .string(missing))
        try page.follow(session)
        #expect(try page.run("return await session.send('increase')") != nil)
      }
      try page.expect("session.state.value", is: ["value": 2])
      #expect(try eventually { try server.streams() == 2 })
    }

    @Test func `a reload shows the last State immediately and resumes from it`() throws {
      let session = server.session(of: "counter")
      try page.follow(session)
      try page.run("await session.send({ add: 7 })")
      try browser.reload()
      #expect(
        try page.run(
          """
          window.session = reactor("counter", first);
          window.seen = [];
          session.state.subscribe(({ value }) => seen.push(value));
          return session.state.value;
          """, .string(session.id)) == ["value": 7])
      try page.expect("session.connection.value", is: "live")
      #expect(try page.run("return await session.send('increase')") == ["value": 8])
      try page.expect("seen", is: [7, 8])
    }
  }
}
