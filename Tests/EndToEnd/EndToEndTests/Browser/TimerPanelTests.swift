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

    @Test func `a timer whose action crashed the service has a mark`() throws {
      let folder = try TemporaryFolder()
      let server = try ReactordProcess(
        ["--store", "sqlite:" + folder["log.db"]], program: "faulty",
        environment: ["REACTORD_SUPERVISE": "true"])
      let session = server.session(of: "alarm")
      // The timer is due immediately, so the service can crash before it responds.
      _ = try? session.post(#""armTrap""#)
      let again = { SessionClient(server.client(), session.path) }
      let isMarked = {
        let timers = try? again().client.get(session.path + "/timers").json["timers"]?.array
        return timers?.first?["quarantined"] == true
      }
      #expect(eventually(isMarked))
      let page = InspectorPage(browser: browser, server: server)
      try page.open(again())
      try page.expectText("Quarantined", in: "#scheduled")
      try page.expectNoComplaints()
    }
  }
}
