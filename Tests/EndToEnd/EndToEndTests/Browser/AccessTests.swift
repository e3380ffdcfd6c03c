import Foundation
import Testing

extension InspectorBrowserTests {
  /// The inspector of a service that requires a token.
  struct AccessTests {
    private let folder: TemporaryFolder
    private let page: InspectorPage
    private let server: ReactordProcess

    init() throws {
      folder = try TemporaryFolder()
      let file = folder["tokens"]
      try "the-token-of-all admin\nthe-token-of-a-bidder act as=ada\n"
        .write(toFile: file, atomically: true, encoding: .utf8)
      server = try ReactordProcess("--auth-tokens", file)
      page = InspectorPage(browser: try Browser(), server: server)
    }

    private func give(_ token: String) throws {
      try page.expectText("Token", in: "#catalogue-problem label")
      try page.browser.type(token, into: "return document.querySelector('#token')")
      try page.press("Use it")
    }

    @Test func `links to data carry the token`() throws {
      try page.open("#/counter/demo")
      try give("the-token-of-all")
      try page.expectStatus("live")
      try page.browser.run("document.querySelector('#state-link').click()")
      try page.browser.expect(
        "return document.querySelector('pre')?.textContent", is: #"{"value":0}"#)
    }

    @Test func `without the right to inspect, States are shown, and what else is hidden is said`()
      throws
    {
      try page.open("#/sealed/demo")
      try give("the-token-of-a-bidder")
      try page.expectStatus("live")
      try page.send(#"{"bid":{"by":"ada","amount":7}}"#)
      try page.expectText("inspect", in: "#timeline-problem")
      try page.browser.run("document.querySelector('#earlier').click()")
      try page.expectState(
        #"{"item":"Alamp","isSealed":true,"bidders":[],"ownBid":null,"bids":[]}"#)
      try page.expectText("The initial State", in: "#moment")
      try page.browser.run("document.querySelector('#later').click()")
      try page.expectText("The log may not be read", in: "#moment")
      try page.expectText("inspect", in: "#timeline-problem")
      try page.expectText("cannot be read", in: "#timers")
      try page.expectText("inspect", in: "#timers-problem")
    }

    @Test func `the inspector asks for the token and then shows the session`() throws {
      try page.open("#/counter/demo")
      try give("not-a-valid-token")
      try page.expectText("token", in: "#catalogue-problem p")
      try give("the-token-of-all")
      try page.expectStatus("live")
      try page.send(#"{"add":2}"#)
      try page.expectState(#"{"value":2}"#)
      // The tab still has the token after it has loaded the page again.
      try page.open("#/counter/demo")
      try page.expectState(#"{"value":2}"#)
      try page.press("Forget the token")
      try page.expectText("Token", in: "#catalogue-problem label")
      try page.browser.expect(
        "return Object.values(sessionStorage).filter((it) => it !== 'null')", is: [])
    }
  }
}
