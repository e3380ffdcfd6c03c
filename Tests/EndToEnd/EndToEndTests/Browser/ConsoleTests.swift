import Foundation
import Testing

extension InspectorBrowserTests {
  /// The inspector as a console: lists, filters, comparisons, saved actions, commands and globals.
  struct ConsoleTests {
    private let server: ReactordProcess
    private let page: InspectorPage
    private let browser: Browser

    init() throws {
      server = try ReactordProcess()
      browser = try Browser()
      page = InspectorPage(browser: browser, server: server)
    }

    private func enter(_ text: String, in id: String, event: String = "input") throws {
      try browser.run(
        """
        const field = document.getElementById(arguments[0]);
        field.value = arguments[1];
        field.dispatchEvent(new Event(arguments[2]));
        """, .string(id), .string(text), .string(event))
    }

    /// Texts that would change the title if they were run as HTML, JavaScript or shell.
    private static let hostile = [
      "<img src=x onerror=document.title='hacked'>", "');document.title='hacked';('",
      "'$(touch hacked)`touch hacked`\"; touch hacked #",
    ]

    private func expectNotHacked(sourceLocation: SourceLocation = #_sourceLocation) throws {
      try browser.expect(
        "return document.title.includes('hacked') || document.querySelector('main img') !== null",
        is: false, sourceLocation: sourceLocation)
    }

    // MARK: Sessions

    private let listed = """
      return [...document.querySelectorAll('#sessions a > span:first-child')]
        .map(({ textContent }) => textContent)
      """

    @Test func `sessions are paged and searched by prefix`() throws {
      let session = server.session(of: "counter")
      let client = session.client
      for number in 0..<120 {
        let id = "item-" + String(number + 1000).dropFirst()
        _ = try client.send("PUT", "\(session.siblings)/\(id)")
      }
      try page.open(session)
      try page.expectText("120 sessions", in: "#sessions-note")
      // The open session is listed, too.
      try browser.expect("return document.querySelectorAll('#sessions li').length", is: 101)
      try page.press("Show more")
      try browser.expect("return document.querySelector('#more').hidden", is: true)
      try browser.expect("return document.querySelectorAll('#sessions li').length", is: 121)

      try enter("item-10", in: "session-search")
      try page.expectText("10 sessions", in: "#sessions-note")
      try enter("id", in: "session-order", event: "change")
      try browser.expect(listed + ".slice(0, 3)", is: ["item-100", "item-101", "item-102"])
      for (prefix, count) in [
        ("item-119", "1 session"), ("-", "0 sessions"), ("~", "0 sessions"),
        ("item-2", "0 sessions"), ("<b>", "0 sessions"),
      ] {
        try enter(prefix, in: "session-search")
        try page.expectText(count, in: "#sessions-note")
      }
      try page.expectNoComplaints()
    }

    @Test func `more sessions than a page are loaded, and the note says what is sorted`() throws {
      let session = server.session(of: "counter")
      for number in 0..<1_020 {
        _ = try session.client.send("PUT", "\(session.siblings)/item-\(number + 1_000)")
      }
      try page.open(session)
      try page.expectText("more than 1,000; of each reactor the first 1,000", in: "#sessions-note")
      for _ in 0..<10 { try page.press("Show more") }
      try page.expectText("1,020 sessions", in: "#sessions-note")
      try page.expectNoComplaints()
    }

    @Test func `the start page lists the sessions of all reactors, the latest first`() throws {
      let (counter, chat) = (server.session(of: "counter"), server.session(of: "chat"))
      try counter.post(#"["increase","increase"]"#)
      try chat.post(#"{"join":"Ada"}"#)
      try page.open()
      try page.expectText("2 sessions", in: "#sessions-note")
      let both: [JSON] = [.string("chat / \(chat.id)"), .string("counter / \(counter.id)")]
      try browser.expect(listed, is: .array(both))
      try enter("version", in: "session-order", event: "change")
      try browser.expect(listed, is: .array(both.reversed()))
      try enter("latest", in: "session-order", event: "change")
      try counter.post(#""increase""#)
      try browser.expect(listed, is: .array(both.reversed()))
      try page.follow("counter / \(counter.id)")
      try page.expectState(#"{"value":3}"#)
      try page.expectNoComplaints()
    }

    @Test func `a reactor opens with the session that was active last`() throws {
      let sessions = (0..<3).map { _ in server.session(of: "counter") }
      for session in sessions { try session.post(#""increase""#) }
      try sessions[1].post(#"{"add":6}"#)
      try page.open()
      try browser.click("return document.querySelector('#reactors a')")
      try page.expectState(#"{"value":7}"#)
      try browser.expect("return location.hash", is: .string(page.address(of: sessions[1])))
    }

    @Test func `the figures of sessions are updated`() throws {
      let (session, other) = (server.session(of: "counter"), server.session(of: "counter"))
      _ = try other.put()
      try page.open(session)
      let figures = """
        return document.querySelector('#sessions [data-id="\(other.id)"] > span + span')
          ?.textContent.split(" · ").slice(0, 2).join()
        """
      try browser.expect(figures, is: "version 0,0 watching")
      try other.post(#"["increase","increase"]"#)
      let stream = try other.events()
      try browser.expect(figures, is: "version 2,1 watching")
      withExtendedLifetime(stream) {}
    }

    // MARK: Timeline

    @Test func `any two versions are compared`() throws {
      let session = server.session(of: "chat")
      for name in ["Ada", "Grace", "Joan"] { try session.post(#"{"join":"\#(name)"}"#) }
      try session.post(#"{"leave":"Ada"}"#)
      try page.open(session)
      try page.expectText("version 4, live", in: "#timeline-version")
      try enter("1", in: "base")
      try page.expectText("version 4, compared with version 1", in: "#version")
      let changes = """
        return [...document.querySelectorAll('#state [data-change]')].map((row) =>
          [row.dataset.change, row.textContent.replace(/,$/, "")]).sort()
        """
      try browser.expect(
        changes, is: [["added", #""Joan""#], ["changed", #""Grace""#]])
      try page.press("Earlier")
      try page.expectText("version 3, compared with version 1", in: "#version")
      try page.press("Live")
      try browser.expect("return document.querySelector('#base').value", is: "")
      try page.expectNoComplaints()
    }

    @Test func `the log is filtered by text and time`() throws {
      let session = server.session(of: "counter")
      for number in 1...12 { try session.post(#"{"add":\#(number)}"#) }
      try page.open(session)
      try page.expectText("version 12, live", in: "#timeline-version")
      try browser.run("document.querySelector('#filter').open = true")
      try browser.type(#"{"add":1"#, into: "return document.querySelector('#filter-text')")
      try page.press("Filter")
      let found = """
        return [...document.querySelectorAll('#matches .number')].map(({ textContent }) => textContent)
        """
      try browser.expect(found, is: ["12", "11", "10", "1"])
      try page.expectText("4 matches.", in: "#filter-note")
      try browser.type("ada", into: "return document.querySelector('#filter-by')")
      try page.press("Filter")
      try page.expectText("No matches.", in: "#filter-note")
      try browser.type("", into: "return document.querySelector('#filter-by')")
      try page.press("Filter")
      try page.expectText("4 matches.", in: "#filter-note")
      try browser.click("return document.querySelector('#matches button')")
      try page.expectText("version 12 of 12", in: "#timeline-version")
      // All entries are older than this.
      try enter("2999-01-01T00:00:00", in: "filter-from")
      try page.press("Filter")
      try page.expectText("No matches.", in: "#filter-note")
      try page.press("Clear")
      try browser.expect(found, is: [])
      try browser.expect("return document.querySelector('#filter-text').value", is: "")
      try page.expectNoComplaints()
    }

    @Test func `a search continues below the first matches`() throws {
      let session = server.session(of: "counter")
      try session.post(
        "[" + Array(repeating: #""increase""#, count: 120).joined(separator: ",") + "]")
      try page.open(session)
      try page.expectText("version 120, live", in: "#timeline-version")
      try browser.run("document.querySelector('#filter').open = true")
      try page.press("Filter")
      try page.expectText("120 matches.", in: "#filter-note")
    }

    // MARK: Actions and commands

    @Test func `an action is saved, sent and removed`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try browser.type(#"{"add":30}"#, into: "return document.querySelector('#action')")
      try page.press("Save")
      try browser.reload()
      try page.expectStatus("live")
      try page.press(#"{"add":30}"#)
      try page.expectState(#"{"value":30}"#)
      try page.open(server.session(of: "chat"))
      try browser.expect("return document.querySelector('#saved').hidden", is: true)
      try page.open(session)
      try page.press("Remove")
      try browser.expect("return document.querySelector('#saved').hidden", is: true)
      try page.expectNoComplaints()
    }

    @Test(arguments: hostile)
    func `hostile text in an action stays text, also in its command`(text: String) throws {
      let folder = try TemporaryFolder()
      let session = server.session(of: "chat")
      try session.post(#"{"join":"Ada"}"#)
      try page.open(session)
      let action = #"{"send":{"from":"Ada","text":"\#(text.replacing("\"", with: "\\\""))"}}"#
      try browser.type(action, into: "return document.querySelector('#action')")
      try page.press("Save")
      try page.press("Send")
      try page.expectText("version 2", in: "#version")
      try expectNotHacked()
      // The command of the request, executed by a shell, sends the same action.
      let command = try browser.run(
        """
        return [...document.querySelectorAll('#requests code')].map(({ textContent }) => textContent)
          .find((command) => command.includes('/actions'))
        """)
      let shell = try ChildProcess(
        "/bin/sh", ["-c", "cd '\(folder.path)' && \(try #require(command.string))"])
      #expect(try shell.wait() == .code(0))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      let messages = try session.state().json["messages"]?.array
      #expect(messages?.map { $0["text"] } == [.string(text), .string(text)])
      try page.expectNoComplaints()
    }

    // MARK: The start page

    @Test func `a new service shows its first steps`() throws {
      try page.open()
      let commands = """
        return [...document.querySelectorAll('#first-commands code')]
          .map(({ textContent }) => textContent)
        """
      let address = server.url + "/v1/reactors/counter/sessions/demo"
      try browser.expect(
        commands,
        is: [
          .string("curl -N \(address)/events"),
          .string(#"curl --json '"increase"' \#(address)/actions"#),
          .string("curl \(address)/state"),
        ])
      try page.follow("Open counter/demo")
      try page.expectStatus("live")
      try page.expectState(#"{"value":0}"#)
      try page.expectNoComplaints()
    }

    @Test
    func `the header has the release, the store, the time since the start and the documentation`()
      throws
    {
      try page.open()
      try browser.expect(
        """
        const about = document.querySelector('#about').textContent;
        return /^\\d+\\.\\d+\\.\\d+ · memory · up \\d/.test(about);
        """, is: true)
      try page.follow("Documentation")
      try browser.expect("return document.title", is: "Documentation · reactord")
      try page.follow("Problem types")
      try browser.expect("return document.querySelector('h1').textContent", is: "Problem types")
    }

    @Test func `the page of operations lists the effects and timers of all sessions`() throws {
      let server = try ReactordProcess(program: "faulty")
      let page = InspectorPage(browser: browser, server: server)
      let alarm = server.session(of: "alarm")
      try alarm.post(#"{"arm":{"from":7,"count":1,"delay":3600000,"step":1}}"#)
      try page.open()
      try page.follow("Operations")
      try page.expectText("1 timer is scheduled.", in: "#all-timers-note")
      try page.expectText("alarm/\(alarm.id)", in: "#all-timers a")
      try page.expectText("alarm", in: "#loads")
      let watch = self.server.session(of: "stopwatch")
      try watch.post(#""start""#, ["Prefer": "respond-async"])
      try self.page.open("#operations")
      try page.expectText("1 effect runs.", in: "#all-effects-note")
      try page.expectText(#""start""#, in: "#all-effects code")
      try page.follow("stopwatch/\(watch.id)")
      try page.expectStatus("live")
      try page.expectNoComplaints()
    }

    @Test func `the console shows the health of the service`() throws {
      try server.session(of: "counter").post(#""increase""#)
      try page.open("#operations")
      try page.expectText("no failed writes", in: "#health")
      try page.expectText("0 open, 0 subscribers", in: "#health")
      try page.expectText("1 in memory", in: "#health")
      try browser.expect("return document.querySelector('#health .attention') === null", is: true)
      try page.expectNoComplaints()
    }

    @Test(arguments: hostile)
    func `errors of effects are listed as text, with their actions`(text: String) throws {
      let session = server.session(of: "chat")
      let json = text.replacing("\"", with: "\\\"")
      let action = #"{"send":{"from":"Eve","text":"\#(json)"}}"#
      #expect(try session.post(action).status == 422)
      try page.open(session)
      try page.expectText(
        "1 of the reactor's latest 100 errors is from this session.", in: "#failures-note")
      try page.expectText("Only members can send (422)", in: "#failures")
      try browser.expect(
        "return document.querySelector('#failures code').textContent", is: .string(action))
      try page.open("#operations")
      try browser.expect(
        "return document.querySelector('#errors code')?.textContent", is: .string(action))
      try expectNotHacked()
      try page.follow("chat/\(session.id)")
      try page.expectStatus("live")
      // Another error appears without a reload.
      #expect(try session.post(#"{"join":" "}"#).status == 422)
      try page.expectText("A name is needed to join (422)", in: "#failures")
      try page.expectNoComplaints()
    }

    @Test func `a stored failure runs again, and is removed`() throws {
      let session = server.session(of: "booking")
      let hold = #"{"hold":{"seats":[99],"hall":"\#(session.id)"}}"#
      #expect(try session.post(hold, ["Prefer": "respond-async"]).status == 202)
      try page.open(session)
      try page.expectText("The hall has seats 1 to 20 (422)", in: "#failures")
      // Until the action has failed again, there is no failure.
      let time = "return document.querySelector('#failures time')?.dateTime ?? ''"
      let first = try browser.run(time)
      try page.press("Run again")
      // The action fails again, which is a new failure.
      #expect(try eventually { ![first, ""].contains(try browser.run(time)) })
      try page.press("Remove")
      try browser.expect("return document.querySelector('#failures').hidden", is: true)
      #expect(try session.client.get("/v1/reactors/booking/failures").json["failures"] == [])
    }

    @Test func `errors that cannot be read are reported, and are requested one at a time`() throws {
      try page.open()
      try browser.run(
        """
        const real = window.fetch;
        window.requested = 0;
        const isReleased = new Promise((resolve) => { window.release = resolve; });
        window.fetch = async (address, options) => {
          if (!String(address).endsWith('/failures')) return real(address, options);
          requested += 1;
          await isReleased;
          return Response.json({ type: "/problems/forbidden", title: "Not permitted" }, {
            status: 403, headers: { "Content-Type": "application/problem+json" },
          });
        };
        """)
      let session = server.session(of: "stopwatch")
      try browser.run("location.hash = arguments[0]", .string(page.address(of: session)))
      for _ in 0..<3 {
        try session.post(#""start""#, ["Prefer": "respond-async"])
        try page.expectText("1 effect runs.", in: "#effects")
        try session.post(#""stop""#)
        try page.expectText("Nothing runs.", in: "#effects")
      }
      #expect(try browser.run("return requested") == 1)
      try browser.run("release()")
      try page.expectText("The errors cannot be read: Not permitted", in: "#failures-note")
    }

    @Test func `limits that are near are marked`() throws {
      let own = try ReactordProcess(
        "--sessions-limit", "5", "--http-proxies", "127.0.0.1", program: "adjustable")
      let page = InspectorPage(browser: browser, server: own)
      let running = """
        return [...document.querySelectorAll('#health .attention')]
          .map(({ textContent }) => textContent)
        """
      try page.open("#operations")
      try page.expectText("0 in memory (at most 5)", in: "#health")
      try browser.expect(running, is: [])
      for number in 0..<5 {
        let client = ["X-Forwarded-For": "192.0.2.\(number)"]
        #expect(try own.session(of: "counter").post(#""increase""#, client).status == 200)
      }
      try browser.expect(running, is: ["5 in memory (at most 5) (check)"])
    }

    @Test func `quarantined actions are listed as text, and permitted again`() throws {
      let server = try ReactordProcess(
        [], program: "faulty", environment: ["REACTORD_SUPERVISE": "true"])
      let session = server.session(of: "faulty")
      let action = #"{"trapInMutateWith":"<img src=x onerror=document.title='hacked'>"}"#
      #expect(throws: (any Error).self) { try session.post(action) }
      let page = InspectorPage(browser: browser, server: server)
      #expect(eventually { (try? server.client().get("/readyz").status) == 200 })
      try page.open("#operations")
      try page.expectText("1, 1 actions quarantined (check)", in: "#health")
      try page.expectText("faulty/\(session.id)", in: "#quarantine a")
      try page.expectText(action, in: "#quarantine code")
      try expectNotHacked()
      try page.press("Permit all again")
      try browser.expect("return document.querySelector('#quarantine-part').hidden", is: true)
      #expect(try server.client().get("/v1/quarantine").json == ["quarantine": []])
    }

    @Test func `a global is shown and set`() throws {
      try page.open("#operations")
      try page.expectText("null", in: "#globals code")
      try page.press("Edit")
      try browser.type(
        #"{"name":"Ada"}"#, into: "return document.querySelector('#globals textarea')")
      try page.press("Set")
      try page.expectText(#"{"name":"Ada"}"#, in: "#globals code")
      #expect(try server.client().get("/v1/globals/currentUser").json["name"] == "Ada")
      try page.press("Edit")
      try browser.type("{", into: "return document.querySelector('#globals textarea')")
      try page.press("Set")
      try page.expectText("Not JSON", in: "#globals .problem")
      try browser.type(#"{"name":7}"#, into: "return document.querySelector('#globals textarea')")
      try page.press("Set")
      try page.expectText("name", in: "#globals .problem")
      #expect(try server.client().get("/v1/globals/currentUser").json["name"] == "Ada")
    }

    @Test(arguments: hostile)
    func `a hostile global stays text`(name: String) throws {
      let body = #"{"name":"\#(name.replacing("\"", with: "\\\""))"}"#
      _ = try server.client().send("PUT", "/v1/globals/currentUser", json: body)
      try page.open("#operations")
      try page.expectText(name.replacing("\"", with: "\\\""), in: "#globals code")
      try expectNotHacked()
      try page.expectNoComplaints()
    }
  }
}
