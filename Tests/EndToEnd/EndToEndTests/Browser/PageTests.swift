import Testing

extension InspectorBrowserTests {
  /// The inspector: reactors, sessions, States and actions.
  struct PageTests {
    let page: InspectorPage
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess.shared.get()
      page = InspectorPage(browser: try Browser(), server: server)
    }

    @Test func `the page lists the reactors with their summaries`() throws {
      let reactors = try #require(try server.client().get("/v1/reactors").json["reactors"]?.array)
      try page.open()
      try page.browser.expect(
        """
        return [...document.querySelectorAll('#reactors a')].map((link) => (
          {name: link.children[0].innerText, summary: link.children[1].innerText}))
        """,
        is: .array(
          reactors.map { ["name": $0["name"] ?? nil, "summary": $0["summary"] ?? nil] }))
      try page.expectNoComplaints()
    }

    @Test func `a reactor opens with a session and its address`() throws {
      try page.open()
      try page.follow("counter")
      try page.expectStatus("live")
      // Other tests create sessions of this service.
      let id = try page.browser.run("return location.hash.replace('#/counter/', '')").string ?? ""
      try page.browser.expect("return document.title", is: .string("counter/\(id) · reactord"))
      try page.expectText("version", in: "#version")
      try page.expectNoComplaints()
    }

    @Test func `a new session shows its first State`() throws {
      try page.open(server.session(of: "counter"))
      try page.expectState(#"{"value":0}"#)
      try page.expectText("version 0", in: "#version")
      try page.expectNoComplaints()
    }

    @Test func `another session opens by its name`() throws {
      let session = server.session(of: "counter")
      try session.post(#"{"add":3}"#)
      try page.open("#/counter/demo")
      try page.expectStatus("live")
      try page.browser.type(session.id, into: "return document.querySelector('#session-id')")
      try page.press("Open")
      try page.expectState(#"{"value":3}"#)
      try page.expectText(session.id, in: "#session-title")
      try page.expectText(session.id, in: "#sessions [aria-current]")
      try page.expectNoComplaints()
    }

    @Test(arguments: [
      (#""increase""#, #"{"value":1}"#), (#""decrease""#, #"{"value":-1}"#),
      (#"{"add":5}"#, #"{"value":5}"#),
    ])
    func `an example action is one click`(action: String, state: String) throws {
      try page.open(server.session(of: "counter"))
      try page.press(action)
      try page.expectState(state)
      try page.expectText("version 1", in: "#version")
      try page.expectText("\(action) is committed, at version 1.", in: "#response")
      try page.expectNoComplaints()
    }

    @Test func `an action from the JSON field retains all digits`() throws {
      try page.open(server.session(of: "counter"))
      try page.send(#"{"add":9223372036854775807}"#)
      try page.expectState(#"{"value":9223372036854775807}"#)
      try page.expectNoComplaints()
    }

    @Test func `the mutations of an accepted effect are shown`() throws {
      let server = try ReactordProcess("--actions-wait", "0.1")
      let page = InspectorPage(browser: page.browser, server: server)
      let session = server.session(of: "stopwatch")
      try page.open(session)
      try page.press(#""start""#)
      try page.expectText("is accepted and runs", in: "#response")
      try page.expectText("\"isRunning\": true", in: "#state")
      try page.press(#""stop""#)
      try page.expectText("\"isRunning\": false", in: "#state")
      try page.expectNoComplaints()
    }

    @Test func `actions of other clients are shown without a reload`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try session.post(#""increase""#)
      try page.expectState(#"{"value":1}"#)
      try session.post(
        "[" + Array(repeating: #""increase""#, count: 500).joined(separator: ",") + "]")
      try page.expectState(#"{"value":501}"#)
      try page.expectText("version 501", in: "#version")
      try page.expectNoComplaints()
    }

    @Test(arguments: [
      (#"{"jump":5}"#, ["Not an action of this reactor", "expected", "increase, decrease, add"]),
      (#"{"add":"five"}"#, ["Not an action of this reactor", "pointer", "/add"]),
      ("[1,", ["Not JSON", "offset", "3"]),
    ])
    func `a rejected action is shown with the reason`(action: String, reasons: [String]) throws {
      try page.open(server.session(of: "counter"))
      try page.send(action)
      for text in reasons { try page.expectText(text, in: "#response .problem") }
      try page.expectState(#"{"value":0}"#)
    }

    @Test func `an error of the reactor is shown with its text`() throws {
      let session = server.session(of: "counter")
      try session.post(#"{"add":9223372036854775807}"#)
      try page.open(session)
      try page.press(#""increase""#)
      try page.expectText("The counter would overflow", in: "#response .problem")
      try page.expectState(#"{"value":9223372036854775807}"#)
    }

    @Test(arguments: [
      ("#/nothing/demo", "No such reactor"), ("#/counter/..", "Not a session id"),
      ("#/counter/a%20b", "Not a session id"), ("#/counter/%E0", "Not a session id"),
    ])
    func `an invalid address is shown with the reason`(hash: String, reason: String) throws {
      try page.open(hash)
      try page.expectText(reason, in: "#address-problem")
      try page.follow("counter")
      try page.expectStatus("live")
      try page.expectNoComplaints()
    }

    @Test func `two windows on one session show the same`() throws {
      let session = server.session(of: "counter")
      let browser = page.browser
      let first = try browser.window()
      try page.open(session)
      let second = try browser.openWindow()
      try page.open(session)
      try page.press(#"{"add":5}"#)
      try page.expectState(#"{"value":5}"#)
      try browser.choose(window: first)
      try page.expectState(#"{"value":5}"#)
      try page.press(#""decrease""#)
      try page.expectState(#"{"value":4}"#)
      try browser.choose(window: second)
      try page.expectState(#"{"value":4}"#)
      try page.expectNoComplaints()
    }

    @Test func `a reload shows the same session`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try page.press(#"{"add":5}"#)
      try page.expectState(#"{"value":5}"#)
      try page.browser.reload()
      try page.expectStatus("live")
      try page.expectState(#"{"value":5}"#)
      try page.browser.expect("return location.hash", is: .string(page.address(of: session)))
      try page.expectNoComplaints()
    }

    @Test func `the keyboard alone opens a reactor`() throws {
      try page.open()
      try page.browser.expect(
        "return document.querySelectorAll('#reactors a').length > 0", is: true)
      // The tab stops are the skip link, the name of the service, four pages and the first reactor.
      try page.browser.press(.tab, .tab, .tab, .tab, .tab, .tab, .tab, .enter)
      try page.expectStatus("live")
      try page.browser.expect("return document.activeElement.id", is: "session-title")
      try page.expectNoComplaints()
    }

    @Test func `the commands for a terminal contain the addresses of this session`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      let address = server.url + session.path
      try page.browser.expect(
        "return [...document.querySelectorAll('#commands code')].map((code) => code.textContent)",
        is: [
          .string("curl -N \(address)/events"),
          .string(#"curl --json '"increase"' \#(address)/actions"#),
          .string("curl \(address)/state"),
          .string("reactord watch \(address)"),
        ])
      try page.expectNoComplaints()
    }

    @Test func `a deleted session has ended and can begin again`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try page.press(#"{"add":5}"#)
      try page.expectState(#"{"value":5}"#)
      #expect(try session.delete().status == 204)
      try page.expectStatus("ended")
      try page.expectText("The session was deleted.", in: "#gone")
      try page.press("Begin a new session")
      try page.expectStatus("live")
      try page.expectState(#"{"value":0}"#)
      // The page can request the timers of the new State while the session is being deleted.
      try page.expectNoComplaints(except: "status of 410")
    }

    @Test func `a session that ended before the page opened can begin again`() throws {
      let session = server.session(of: "counter")
      _ = try session.put()
      _ = try session.delete()
      try page.open(page.address(of: session))
      try page.expectStatus("ended")
      try page.expectText("The session has ended", in: "#gone")
      try page.press("Begin a new session")
      try page.expectStatus("live")
      try page.expectState(#"{"value":0}"#)
    }
  }
}
