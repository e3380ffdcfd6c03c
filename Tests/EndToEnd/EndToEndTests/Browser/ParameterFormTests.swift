import Testing

extension InspectorBrowserTests {
  /// The inspector: a new session of a reactor with parameters.
  struct ParameterFormTests {
    let page: InspectorPage
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess()
      browser = try Browser()
      page = InspectorPage(browser: browser, server: server)
    }

    @Test func `a session is created with the parameters of the form`() throws {
      let session = server.session(of: "auction")
      try page.open(page.address(of: session))
      try page.expectText("The session needs parameters", in: "#gone-problem")
      try browser.expect(
        "return [...document.querySelectorAll('#parameter-fields label')].map((it) => it.innerText)",
        is: ["item", "endsAt"])
      try browser.expect("return document.querySelector('#parameter-item').value", is: "A lamp")
      try browser.run(
        """
        document.querySelector('#parameter-item').value = 'A "chair"';
        document.querySelector('#parameter-endsAt').value = 'soon';
        """)
      try page.press("Begin a new session")
      try page.expectText("/parameters/endsAt", in: "#gone-problem")
      try browser.run(
        "document.querySelector('#parameter-endsAt').value = '2090-01-01T00:00:00.000Z'")
      try page.press("Begin a new session")
      try page.expectStatus("live")
      #expect(
        try session.client.get(session.path + "/parameters").json
          == ["item": "A \"chair\"", "endsAt": "2090-01-01T00:00:00.000Z"])
      try page.expectText(#"A \"chair\""#, in: "#state")
    }

    @Test func `a reactor without parameters has no form`() throws {
      let session = server.session(of: "counter")
      #expect(try session.delete().status == 204)
      try page.open(page.address(of: session))
      try page.expectStatus("ended")
      try browser.expect("return document.querySelector('#parameters').hidden", is: true)
      try page.press("Begin a new session")
      try page.expectStatus("live")
    }
  }
}
