import Testing

extension InspectorBrowserTests {
  /// The inspector: the timers of a session.
  struct TimerPanelTests {
    let page: InspectorPage
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess(program: "faulty")
      browser = try Browser()
      page = InspectorPage(browser: browser, server: server)
    }

    @Test func `timers are listed with their actions and can be removed`() throws {
      let session = server.session(of: "alarm")
      try page.open(session)
      try page.expectText("No timer is scheduled.", in: "#timers")
      try session.post(#"{"arm":{"from":7,"count":1,"delay":3600000,"step":1}}"#)
      try page.expectText("1 timer is scheduled.", in: "#timers")
      try page.expectText(#"{"ring":{"_0":7"#, in: "#scheduled code")
      try page.press("Remove")
      try page.expectText("No timer is scheduled.", in: "#timers")
      let timers = try session.client.get(session.path + "/timers").json
      #expect(timers == ["timers": []])
      try page.expectNoComplaints()
    }
  }
}
