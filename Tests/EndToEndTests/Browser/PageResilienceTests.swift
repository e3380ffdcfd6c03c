import Glibc
import Testing

extension BrowserTests {
  /// `GET /`: what the page does when the server goes away, or sends what nobody would.
  struct PageResilienceTests {
    let page: InspectorPage
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess()
      page = InspectorPage(browser: try Browser(), server: server)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `the page goes on with a server that comes back`(signal: Int32) throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try page.press(#"{"add":5}"#)
      try page.expectState(#"{"value":5}"#)

      server.process.signal(signal)
      try server.process.wait()
      try page.expectStatus("reconnecting")
      // What it showed last is still to be read.
      try page.expectState(#"{"value":5}"#)

      let next = try ReactordProcess("--listen", "127.0.0.1:\(server.port)")
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#"{"add":2}"#)
      try page.expectStatus("live")
      try page.expectState(#"{"value":2}"#)
      try page.expectText("began a new history", in: "#state-note")
      try page.press(#""increase""#)
      try page.expectState(#"{"value":3}"#)
      try page.browser.expect("return document.querySelector('#state-note').hidden", is: true)
    }

    @Test func `a page that finds no server tells it, and can try again`() throws {
      try page.browser.block("*/v1/reactors")
      try page.open("#/counter/demo")
      try page.expectText("The server did not answer", in: "#catalogue-problem")
      try page.browser.block()
      try page.press("Try again")
      try page.expectStatus("live")
      try page.browser.expect(
        "return document.querySelector('#catalogue-problem').innerText", is: "")
    }

    @Test func `an action that got no answer leaves its fate open`() throws {
      try page.open(server.session(of: "counter"))
      try server.stop()
      try page.expectStatus("reconnecting")
      try page.press(#""increase""#)
      try page.expectText("Whether it took the request is not known", in: "#answer .problem")
    }

    @Test(arguments: [
      "<img src=x onerror=document.title='hacked'>",
      "<script>document.title='hacked'</script>",
      "</pre><svg onload=document.title='hacked'>",
      "\"}\u{2028}${document.title='hacked'}",
    ])
    func `what looks like HTML is shown as text`(name: String) throws {
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

    @Test func `a text too long to read is cut, and one click away`() throws {
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
    func `of a large or deep State only what is looked at is built`(make: String) throws {
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

    @Test func `texts that look like addresses lead nowhere`() throws {
      try page.open(server.session(of: "profile"))
      _ = try server.client().send(
        "PUT", "/v1/globals/currentUser", json: #"{"name":"javascript:document.title='hacked'"}"#)
      try page.expectText("javascript:", in: "#state")
      try page.browser.expect("return document.querySelectorAll('#state a').length", is: 0)
      _ = try server.client().send("PUT", "/v1/globals/currentUser", json: "null")
    }

    @Test func `a script that is not the service's does not run, and the browser complains`() throws
    {
      try page.open()
      try page.browser.run(
        """
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        """)
      try page.browser.expect("return window.ran === undefined", is: true)
      // It is also what shows that complaints are heard.
      #expect(try page.browser.complaints().contains { $0.contains("Content Security Policy") })
    }
  }
}
