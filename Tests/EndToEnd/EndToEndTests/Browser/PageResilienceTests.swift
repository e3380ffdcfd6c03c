import Glibc
import Testing

extension InspectorBrowserTests {
  /// The inspector without a server, and with hostile data.
  struct PageResilienceTests {
    let page: InspectorPage
    let port: ReservedPort
    let server: ReactordProcess

    init() throws {
      port = try ReservedPort()
      server = try ReactordProcess("--listen", port.address)
      page = InspectorPage(browser: try Browser(), server: server)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `the page resumes after a restart of the server`(signal: Int32) throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try page.press(#"{"add":5}"#)
      try page.expectState(#"{"value":5}"#)

      server.process.signal(signal)
      try server.process.wait()
      try page.expectStatus("reconnecting")
      // The last State remains visible.
      try page.expectState(#"{"value":5}"#)

      let next = try ReactordProcess("--listen", port.address)
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#"{"add":2}"#)
      try page.expectStatus("live")
      try page.expectState(#"{"value":2}"#)
      // The note remains during actions of other clients.
      try successor.post(#"{"add":2}"#)
      try page.expectState(#"{"value":4}"#)
      let isHidden = "return document.querySelector('#state-note').hidden"
      try page.browser.expect(isHidden, is: false)
      try page.press(#""increase""#)
      try page.expectState(#"{"value":5}"#)
      try page.browser.expect(isHidden, is: true)
    }

    @Test func `without a server the page reports it and offers a retry`() throws {
      try page.browser.block("*/v1/reactors")
      try page.open("#/counter/demo")
      try page.expectText("The server did not respond", in: "#catalogue-problem")
      try page.browser.block()
      try page.press("Try again")
      try page.expectStatus("live")
      try page.browser.expect(
        "return document.querySelector('#catalogue-problem').innerText", is: "")
    }

    @Test func `the result of an action without a response is reported as unknown`() throws {
      try page.open(server.session(of: "counter"))
      try server.stop()
      try page.expectStatus("reconnecting")
      try page.press(#""increase""#)
      try page.expectText(
        "It is unknown whether the server received the action", in: "#response .problem")
    }

    @Test(arguments: [
      "<img src=x onerror=document.title='hacked'>",
      "<script>document.title='hacked'</script>",
      "</pre><svg onload=document.title='hacked'>",
      "\"}\u{2028}${document.title='hacked'}",
    ])
    func `HTML in a State is shown as text`(name: String) throws {
      let session = server.session(of: "profile")
      try page.open(session)
      let body = try #require(Self.json(name))
      #expect(
        try server.client().send("PUT", "/v1/globals/currentUser", json: body).status == 200)
      try page.expectText(name.replacing("\"", with: "\\\""), in: "#state")
      try page.browser.expect(
        "return document.querySelectorAll('#state :is(img, script, svg, a)').length", is: 0)
      try page.browser.expect("return document.title.includes('hacked')", is: false)
      try page.expectNoComplaints()
    }

    private static func json(_ name: String) -> String? {
      #"{"name":"\#(name.replacing("\"", with: "\\\""))"}"#
    }

    @Test func `a long text is truncated, and complete after a click`() throws {
      let name = String(repeating: "a", count: 900_000)
      try page.open(server.session(of: "profile"))
      _ = try server.client().send("PUT", "/v1/globals/currentUser", json: #"{"name":"\#(name)"}"#)
      try page.expectText("898,002 more characters", in: "#state")
      try page.browser.expect(
        "return document.querySelector('#state').textContent.length < 10_000", is: true)
      try page.press("898,002 more characters")
      try page.browser.expect(
        "return document.querySelector('#state').textContent.length > 900_000", is: true)
      _ = try server.client().send("PUT", "/v1/globals/currentUser", json: #"{"name":"Ada"}"#)
      try page.expectText("\"name\": \"Ada\"", in: "#state")
      try page.expectNoComplaints()
    }

    @Test(arguments: [
      "let value = 1; for (let depth = 0; depth < 512; depth += 1) value = [value]; return value;",
      "let value = 1; for (let depth = 0; depth < 512; depth += 1) value = { value }; return value;",
      "return Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'x'.repeat(20) }));",
      "return Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index, index]));",
      "return Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => [1, 2, 3]));",
    ])
    func `of a large or deep State only the visible rows are built`(make: String) throws {
      try page.open()
      let rows = try page.browser.run(
        """
        return (async () => {
          const { Tree } = await import("/inspector/tree.js");
          const place = document.createElement("div");
          document.body.append(place);
          const tree = new Tree(place);
          const make = () => { \(make) };
          tree.show(make());
          const first = place.querySelectorAll(".node").length;
          tree.show(make());
          return [first, place.querySelectorAll(".node").length, tree.marks.count];
        })()
        """)
      let counts = rows.array?.compactMap(\.int) ?? []
      try #require(counts.count == 3)
      #expect(counts[0] > 0 && counts[0] <= 600)
      #expect(counts[1] == counts[0])
      #expect(counts[2] == 0)
      try page.expectNoComplaints()
    }

    @Test func `addresses in a State are not links`() throws {
      try page.open(server.session(of: "profile"))
      _ = try server.client().send(
        "PUT", "/v1/globals/currentUser", json: #"{"name":"javascript:document.title='hacked'"}"#)
      try page.expectText("javascript:", in: "#state")
      try page.browser.expect("return document.querySelectorAll('#state a').length", is: 0)
      _ = try server.client().send("PUT", "/v1/globals/currentUser", json: "null")
    }

    @Test func `the policy blocks a script that is not the service's`() throws {
      try page.open()
      try page.browser.run(
        """
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        """)
      try page.browser.expect("return window.ran === undefined", is: true)
      // Proves that `complaints()` sees errors.
      #expect(try page.browser.complaints().contains { $0.contains("Content Security Policy") })
    }
  }
}
