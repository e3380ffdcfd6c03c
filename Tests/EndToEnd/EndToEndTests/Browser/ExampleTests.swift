import Testing

extension GalleryBrowserTests {
  /// The examples, used like a visitor does.
  struct ExampleTests {
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess.shared.get()
      browser = try Browser()
    }

    private func open(_ example: String, _ session: SessionClient, _ more: String = "") throws {
      try browser.open("\(server.url)/examples/\(example).html?session=\(session.id)\(more)")
    }

    private func part(_ id: String) -> String { "return document.getElementById('\(id)')" }

    private func expectText(
      _ text: String, in id: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try browser.expect(
        part(id) + ".textContent", is: .string(text), sourceLocation: sourceLocation)
    }

    private func press(_ id: String) throws {
      try browser.click(part(id))
    }

    @Test func `a name without an example says so, and the list shows the others`() throws {
      try browser.open("\(server.url)/examples/#todo")
      try expectText("No example for todo", in: "title")
      try browser.click("return document.querySelector('#examples a')")
      try browser.expect("return document.querySelectorAll('iframe').length > 0", is: true)
      #expect(try browser.complaints() == [])
    }

    @Test func `counter: shows the changes of its buttons and of other clients`() throws {
      let session = server.session(of: "counter")
      try open("counter", session)
      try expectText("0", in: "value")
      try press("increase")
      try press("increase")
      try press("decrease")
      try expectText("1", in: "value")
      try session.post(#"{"add":41}"#)
      try expectText("42", in: "value")
      try browser.reload()
      try expectText("42", in: "value")
      #expect(try browser.complaints() == [])
    }

    /// Waits until the log of a session has a number of entries, so that the effects so far have
    /// ended.
    private func expectEntries(
      _ count: Int, of session: SessionClient, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(
        try eventually { try session.log().json.array?.count == count },
        sourceLocation: sourceLocation)
    }

    @Test func `profile: follows a user, and reports an unknown one`() throws {
      // Followed users belong to the process, and other tests of the shared service follow user 7.
      let own = try ReactordProcess()
      let session = own.session(of: "profile")
      try browser.open("\(own.url)/examples/profile.html?session=\(session.id)")
      try expectText("not followed", in: "badge")
      // Wait for the refresh: if it ended after the follow, it would show the previous status.
      try expectEntries(1, of: session)
      try press("refresh")
      try expectEntries(2, of: session)
      try browser.type("9", into: part("user"))
      try expectText("9", in: "who")
      try browser.click("return document.querySelector('form button')")
      try expectText("followed", in: "badge")
      try browser.type("-1", into: part("user"))
      try press("refresh")
      try browser.expect(part("problem") + ".textContent.startsWith('No such user')", is: true)
    }

    @Test func `profile: shows the signed-in user, or a fallback`() throws {
      let own = try ReactordProcess()
      try browser.open("\(own.url)/examples/profile.html")
      try expectText("Not signed in.", in: "signed-in")
      _ = try own.client().send("PUT", "/v1/globals/currentUser", json: #"{"name":"Ada"}"#)
      try expectText("Signed in: Ada", in: "signed-in")
      _ = try own.client().send("PUT", "/v1/globals/currentUser", json: "null")
      try expectText("Not signed in.", in: "signed-in")
      #expect(try browser.complaints() == [])
    }

    @Test func `weather: shows the result of the latest search, and activity`() throws {
      // The latency is long enough for the second search to begin before the first one has its
      // result, also if the machine stalls.
      let own = try ReactordProcess("--weather-latency", "15", program: "adjustable")
      let session = own.session(of: "weather")
      try browser.open("\(own.url)/examples/weather.html?session=\(session.id)")
      try expectText("No city", in: "city")
      try browser.run(
        """
        window.seen = new Set();
        const [progress, city] = ["activity", "city"].map((id) => document.getElementById(id));
        new MutationObserver(() => seen.add(progress.hidden ? city.textContent : "busy"))
          .observe(document.body, { subtree: true, childList: true, attributes: true });
        """)
      try browser.run(
        """
        const field = document.getElementById("query");
        for (const query of ["Paris", "Seoul"]) {
          field.value = query;
          field.dispatchEvent(new Event("input"));
        }
        """)
      try expectText("Seoul", in: "city")
      try browser.expect(part("activity") + ".hidden", is: true)
      #expect(try browser.run("return seen.has('busy')") == true)
      #expect(try browser.run("return seen.has('Paris')") == false)
      let log = try session.log().text
      #expect(log.contains(#"{"search":"Paris"}"#) && log.contains(#"{"search":"Seoul"}"#))
      #expect(try browser.complaints() == [])
    }

    @Test func `weather: the field is bound both ways`() throws {
      let session = server.session(of: "weather")
      try open("weather", session)
      try session.post(#"{"search":"Nairobi"}"#)
      try browser.expect(part("query") + ".value", is: "Nairobi")
      try expectText("Nairobi", in: "city")
      try browser.type("Atlantis", into: part("query"))
      try expectText("No city", in: "city")
      #expect(try browser.complaints() == [])
    }

    @Test func `chat: two windows show each other's messages`() throws {
      let session = server.session(of: "chat")
      let ada = try browser.window()
      try open("chat", session, "&name=Ada")
      try browser.click("return document.querySelector('#join button')")
      try expectText("Ada", in: "members")
      let grace = try browser.openWindow()
      try open("chat", session, "&name=Grace")
      try browser.click("return document.querySelector('#join button')")
      try expectText("Ada, Grace", in: "members")
      try browser.type("<b>Hello</b>", into: part("text"))
      try browser.click("return document.querySelector('#send button')")
      try browser.choose(window: ada)
      let messages = """
        return [...document.querySelectorAll('#messages li:not(.sending)')]
          .map((item) => [item.textContent, item.className])
        """
      try browser.expect(messages, is: [["Grace<b>Hello</b>", ""]])
      try browser.type("Good morning", into: part("text"))
      try browser.click("return document.querySelector('#send button')")
      try browser.choose(window: grace)
      try browser.expect(
        messages, is: [["Grace<b>Hello</b>", "mine"], ["AdaGood morning", ""]])
      #expect(try browser.run("return document.querySelectorAll('#messages li b b').length") == 0)
      #expect(try browser.complaints() == [])
    }

    @Test func `chat: messages are added to the log, and the earlier ones stay`() throws {
      let session = server.session(of: "chat")
      try session.post(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"One"}}]"#)
      try open("chat", session, "&name=Ada")
      let items = "return document.querySelectorAll('[role=log] #messages li').length"
      try browser.expect(items, is: 1)
      try browser.run(
        """
        window.added = [];
        new MutationObserver((records) => records.forEach(({ addedNodes }) =>
          addedNodes.forEach(({ textContent }) => added.push(textContent))))
          .observe(document.querySelector('#messages'), { childList: true });
        """)
      try browser.type("Two", into: part("text"))
      try browser.click("return document.querySelector('#send button')")
      try browser.expect(
        "return document.querySelectorAll('#messages li:not(.sending)').length", is: 2)
      try session.post(#"{"send":{"from":"Ada","text":"Three"}}"#)
      try browser.expect(items, is: 3)
      #expect(try browser.run("return added") == ["AdaTwo", "AdaThree"])
    }

    @Test func `chat: a message of a user that has not joined is reverted`() throws {
      let session = server.session(of: "chat")
      try open("chat", session, "&name=Ada")
      try expectText("No members yet.", in: "members")
      try browser.type("Hello?", into: part("text"))
      try browser.click("return document.querySelector('#send button')")
      try browser.expect(
        part("problem") + ".textContent.length > 0", is: true)
      try browser.expect("return document.querySelectorAll('#messages li').length", is: 0)
    }

    @Test func `stopwatch: runs until it is stopped`() throws {
      let own = try ReactordProcess("--stopwatch-interval", "0.05", program: "adjustable")
      try browser.open("\(own.url)/examples/stopwatch.html")
      try browser.expect(part("toggle") + ".disabled", is: false)
      try press("toggle")
      try expectText("Stop", in: "toggle")
      try browser.expect(part("activity") + ".hidden", is: false)
      try browser.expect(part("ticks") + ".textContent !== '0:00'", is: true)
      try press("toggle")
      try expectText("Start", in: "toggle")
      try browser.expect(part("activity") + ".hidden", is: true)
      try press("reset")
      try expectText("0:00", in: "ticks")
      #expect(try browser.complaints() == [])
    }

    @Test func `an auction shows its bidders, takes bids and is listed`() throws {
      let own = try ReactordProcess()
      try browser.open("\(own.url)/examples/auction.html")
      // The auction of the example ends after half a minute: let this one end an hour later.
      try browser.run("const now = Date.now; Date.now = () => now() + 3_600_000")
      try browser.click("return document.querySelector('#begin button')")
      try expectText("A lamp: open, no bid", in: "phase")
      try browser.expect(part("open") + ".textContent", is: "A lamp")
      let lobby = SessionClient(own.client(), "/v1/reactors/lobby/sessions/main")
      let id = try #require(try lobby.state().json["open"]?.array?.first?["id"]?.string)
      let auction = SessionClient(own.client(), "/v1/reactors/auction/sessions/\(id)")
      let stream = try auction.events("?name=Ada")
      try browser.expect(
        part("bidders") + ".textContent.split(', ').filter((it) => it !== 'Ada').length", is: 1)
      try browser.expect(part("bidders") + ".textContent.includes('Ada')", is: true)
      #expect(try auction.post(#"{"bid":{"by":"Ada","amount":7}}"#).status == 200)
      try expectText("A lamp: open, 7", in: "phase")
      try browser.click("return document.querySelector('#bid button')")
      try expectText("A lamp: open, 10", in: "phase")
      #expect(try browser.complaints() == [])
      try browser.click("return document.querySelector('#bid button')")
      try expectText("The bid is not higher than the one before", in: "problem")
      withExtendedLifetime(stream) {}
    }

    @Test func `a page of sealed bids has not received the bid of the other one`() throws {
      let session = server.session(of: "sealed")
      try open("sealed", session, "&name=Ada")
      try browser.expect(part("bid") + ".hidden", is: false)
      try browser.type("917364528", into: part("amount"))
      try browser.click("return document.querySelector('#bid button')")
      try browser.expect(part("received") + ".textContent.includes('917364528')", is: true)
      try session.post(#"{"bid":{"by":"Grace","amount":623985147}}"#)
      try expectText("A lamp: bids of Ada, Grace, yours is 917364528", in: "phase")
      try browser.expect(part("received") + ".textContent.includes('623985147')", is: false)
      try press("reveal")
      try browser.expect(part("received") + ".textContent.includes('623985147')", is: true)
      #expect(try browser.complaints() == [])
    }

    @Test(arguments: [
      "counter", "profile", "weather", "chat", "stopwatch", "auction", "sealed", "order",
    ])
    func `an example is short and is shown beside its source`(name: String) throws {
      let files = try ["html", "js"].map {
        try server.client().get("/examples/\(name).\($0)").text
      }
      let lines = files.reduce(0) {
        $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      }
      #expect(lines < (["auction", "order"].contains(name) ? 80 : 60))
      try browser.open("\(server.url)/")
      try browser.click("return document.querySelector('#examples-link')")
      try browser.click("return document.querySelector('a[href=\"#\(name)\"]')")
      try browser.expect(
        "return [...document.querySelectorAll('#source code')].map((code) => code.textContent)",
        is: .array([files[1], files[0]].map { .string(String($0.dropLast())) }))
      try browser.expect(
        "return document.querySelectorAll('iframe').length",
        is: ["chat", "sealed", "order"].contains(name) ? 2 : 1)
      try browser.expect(
        """
        return [...document.querySelectorAll('iframe')].every(({ contentDocument }) =>
          contentDocument?.querySelector('h1')?.textContent.toLowerCase() === '\(name)')
        """, is: true)
    }
  }
}
