import Glibc
import Testing

/// `/flow.js` in a browser, with the example `order`.
@Suite(.browser)
struct FlowBrowserTests {
  let browser: Browser
  let server: ReactordProcess

  init() throws {
    server = try ReactordProcess.shared.get()
    browser = try Browser()
    try browser.emulate(.desk)
  }

  private func open(
    _ session: SessionClient, _ hash: String = "", on server: ReactordProcess? = nil
  ) throws {
    let url = (server ?? self.server).url
    try browser.open("\(url)/examples/order.html?session=\(session.id)\(hash)")
  }

  /// The heading of the screen on top.
  private func expectTop(
    _ title: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try browser.expect(
      """
      const titles = [...document.querySelectorAll('#screens h2')];
      return titles.filter((title) => !title.closest('[hidden]')).at(-1)?.textContent ?? ''
      """, is: .string(title), sourceLocation: sourceLocation)
  }

  private func expectHash(
    _ hash: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try browser.expect("return location.hash", is: .string(hash), sourceLocation: sourceLocation)
  }

  private func press(_ text: String) throws {
    try browser.click(
      """
      return [...document.querySelectorAll('#screens button')]
        .findLast((button) => button.textContent === arguments[0] && !button.closest('[hidden]'))
      """, .string(text))
  }

  private func back() throws { try browser.run("history.back()") }

  private func dismissals(_ session: SessionClient) throws -> Int {
    try (session.log().json.array ?? []).count { $0["mutation"]?["stack"]?["dismiss"] != nil }
  }

  private func order(_ session: SessionClient) throws {
    try session.post(#"{"stack":{"open":"/drinks/Latte"}}"#)
    try session.post(#"{"stack":{"send":{"to":"2","action":{"drink":"add"}}}}"#)
  }

  @Test func `back from a drink shows the menu, and the log has one dismissal`() throws {
    let session = server.session(of: "order")
    try open(session)
    try expectTop("Menu")
    try press("Latte")
    try expectTop("Latte")
    try expectHash("#/drinks/Latte")
    try back()
    try expectTop("Menu")
    try expectHash("#/")
    _ = eventually { (try? dismissals(session)) == 1 }
    #expect(try dismissals(session) == 1)
    #expect(try browser.complaints() == [])
  }

  @Test func `after two closed screens, back leaves the flow`() throws {
    let session = server.session(of: "order")
    try browser.open(server.url + "/problems/not-found")
    try browser.run("location.href = '/examples/order.html?session=\(session.id)'")
    for drink in ["Latte", "Mocha"] {
      try expectTop("Menu")
      try press(drink)
      try expectTop(drink)
      try expectHash("#/drinks/\(drink)")
      try press("Add")
      try expectTop("Menu")
      try expectHash("#/")
    }
    try back()
    try browser.expect("return location.pathname", is: "/problems/not-found")
  }

  @Test func `forward to a dismissed screen opens it again`() throws {
    let session = server.session(of: "order")
    try open(session)
    try press("Latte")
    try expectHash("#/drinks/Latte")
    try back()
    try expectTop("Menu")
    _ = eventually { (try? dismissals(session)) == 1 }
    try browser.run("history.forward()")
    try expectTop("Latte")
    try expectHash("#/drinks/Latte")
    #expect(
      try eventually {
        try session.state().json["stack"]?["entries"]?.array?.last?["id"] == "3"
      })
    #expect(try browser.complaints() == [])
  }

  @Test func `a reload shows the same screen, and back works after it`() throws {
    let session = server.session(of: "order")
    try open(session)
    try press("Latte")
    try expectHash("#/drinks/Latte")
    try press("Large")
    let isLarge = "return document.querySelector('#screens section:not([hidden]) p').textContent"
    // Wait for the response: a reload cancels a request that has not been sent yet.
    try browser.expect(isLarge, is: "A large one")
    try browser.reload()
    try expectTop("Latte")
    try browser.expect(isLarge, is: "A large one")
    try back()
    try expectTop("Menu")
    #expect(try browser.complaints() == [])
  }

  @Test func `a page that is loaded at a path opens it`() throws {
    let session = server.session(of: "order")
    try open(session, "#/drinks/Mocha")
    try expectTop("Mocha")
    #expect(try eventually { try session.state().json["stack"]?["path"] == "/drinks/Mocha" })
    try back()
    try expectTop("Menu")
    #expect(try browser.complaints() == [])
  }

  @Test func `an unknown path is reported, and the page shows the stack`() throws {
    let session = server.session(of: "order")
    try open(session, "#/moon")
    try expectTop("Menu")
    try browser.expect(
      "return document.getElementById('problem').textContent.startsWith('No such place')",
      is: true)
  }

  @Test func `without a function for failures, an unknown path leaves the history usable`() throws {
    try browser.open("\(server.url)/examples/counter.html")
    try browser.run(
      """
      return Promise.all([import('/flow.js'), import('/reactor.js')]).then(([{ flow }, { reactor }]) => {
        window.order = flow(reactor('order', arguments[0]));
        window.failures = [];
        addEventListener('error', (event) => failures.push(event.error?.status));
        location.hash = '#/nope';
      })
      """, .string(server.session(of: "order").id))
    try browser.expect(
      "return failures.length > 0 && failures.every((status) => status === 404)", is: true)
    try browser.run("order.open('/drinks/Latte')")
    try expectHash("#/drinks/Latte")
    _ = try browser.complaints()
  }

  @Test func `an open modal stays open over a restart of the server, and Escape dismisses it`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = "sqlite:" + folder["log.db"]
    let port = try ReservedPort()
    let own = try ReactordProcess("--listen", port.address, "--store", store)
    let session = own.session(of: "order")
    try order(session)
    try open(session, on: own)
    try press("Check out")
    try expectTop("Tip")
    try press("Continue")
    try expectTop("Payment")
    try browser.expect("return document.querySelector('dialog').open", is: true)
    own.process.signal(SIGKILL)
    try own.process.wait()
    let next = try ReactordProcess("--listen", port.address, "--store", store)
    let successor = SessionClient(next.client(), session.path)
    let tip = #"{"stack":{"send":{"to":"1","action":{"tip":{"tip":2}}}}}"#
    try successor.post(#"{"stack":{"send":{"to":"3","action":{"checkout":\#(tip)}}}}"#)
    try browser.expect(
      """
      return [...document.querySelectorAll('#screens p')]
        .some(({ textContent }) => textContent === '4 and a tip of 2')
      """, is: true)
    try expectTop("Payment")
    try browser.press(.escape)
    try expectTop("Tip")
    try browser.expect("return document.querySelector('dialog')", is: nil)
  }

  @Test func `a dismissal in one tab dismisses in the other`() throws {
    let session = server.session(of: "order")
    let first = try browser.window()
    try open(session)
    try press("Latte")
    try expectTop("Latte")
    _ = try browser.openWindow()
    try open(session)
    try expectTop("Latte")
    try back()
    try expectTop("Menu")
    try browser.choose(window: first)
    try expectTop("Menu")
    try expectHash("#/")
  }

  @Test func `a rejected dismissal leaves the address and the page as before`() throws {
    let own = try ReactordProcess("--bank-latency", "3600", program: "adjustable")
    let session = own.session(of: "order")
    try order(session)
    try open(session, on: own)
    try press("Check out")
    try expectTop("Tip")
    try press("Continue")
    try expectTop("Payment")
    try press("Pay")
    try browser.expect(
      "return document.querySelector('dialog p').textContent", is: "Paying…")
    let address = try browser.run("return location.href")
    let length = try browser.run("return history.length")
    try back()
    try browser.expect(
      """
      return document.getElementById('problem').textContent
        .startsWith('The screen cannot be left now')
      """, is: true)
    try expectTop("Payment")
    try browser.expect("return location.href", is: address)
    try browser.expect("return history.length", is: length)
    try browser.expect("return document.querySelector('dialog').open", is: true)
  }

  @Test func `the inspector shows a stack as a list of screens`() throws {
    let session = server.session(of: "order")
    try order(session)
    try session.post(#""checkout""#)
    let page = InspectorPage(browser: browser, server: server)
    try page.open(session)
    let screens = """
      return [...document.querySelectorAll('#screens li')]
        .map((row) => row.firstChild.textContent)
      """
    try browser.expect(screens, is: ["menu", "checkout", "tip"])
    try session.post(#"{"stack":{"open":"/drinks/Mocha"}}"#)
    try browser.expect(screens, is: ["menu", "drink", "/drinks/Mocha"])
    try page.expectNoComplaints()
  }

  @Test func `six quick steps back end at the first screen`() throws {
    let session = server.session(of: "order")
    let drinks = ["Latte", "Mocha", "Espresso", "Latte", "Mocha", "Espresso"]
    let path = drinks.map { "/drinks/\($0)" }.joined()
    try open(session)
    try expectTop("Menu")
    // Open the screens in sequence, so that each one has a history entry with a path.
    for count in 1...6 {
      let part = drinks.prefix(count).map { "/drinks/\($0)" }.joined()
      try session.post(#"{"stack":{"open":"\#(part)"}}"#)
      try expectHash("#" + part)
    }
    #expect(try browser.run("return location.hash") == .string("#" + path))
    for _ in 1...6 { try back() }
    try expectTop("Menu")
    try expectHash("#/")
    try browser.expect("return document.getElementById('problem').textContent", is: "")
    _ = eventually {
      (try? session.state().json["stack"]?["entries"]?.array?.count) == 1
    }
    #expect(try session.state().json["stack"]?["entries"]?.array?.count == 1)
    #expect(try browser.complaints() == [])
  }
}
