import Glibc
import Testing

extension InspectorBrowserTests {
  /// The inspector: the nodes of a cluster, and the owner of a session.
  struct NodePanelTests {
    private let browser: Browser

    init() throws {
      browser = try Browser()
    }

    @Test func `nodes are listed with their sessions, and a session has its owner`() throws {
      let cluster = try NodeCluster(count: 2)
      let page = InspectorPage(browser: browser, server: try cluster[0])
      let siblings = "/v1/reactors/counter/sessions"
      let client = try cluster[0].client()
      for number in 0..<20 {
        let session = SessionClient(client, "\(siblings)/s\(number)")
        #expect(try session.post(#""increase""#).status == 200)
      }
      // Repeat the request: a list omits the sessions of a node that replies late.
      var placed: String?
      _ = try eventually {
        let listed = try client.get(siblings).json["sessions"]?.array ?? []
        placed = listed.first { $0["node"] == "n2" }?["id"]?.string
        return placed != nil
      }
      let id = try #require(placed)
      let count = try #require(try cluster[1].figure("owned_sessions"))
      try page.open("#operations")
      try page.expectText("n1", in: "#nodes li:nth-child(1) strong")
      try page.expectText("this node", in: "#nodes li:nth-child(1)")
      try page.expectText("n2", in: "#nodes li:nth-child(2) strong")
      try page.expectText("ready · version", in: "#nodes li:nth-child(2)")
      try page.expectText("\(count) session", in: "#nodes li:nth-child(2)")
      try browser.expect("return document.querySelector('#nodes .attention') === null", is: true)
      try page.open(SessionClient(client, "\(siblings)/\(id)"))
      try page.expectText("Owner: n2", in: "#owner")
      try page.expectText("at n2", in: "#sessions [aria-current]")
      // The session moves when its owner stops.
      #expect(try cluster.remove(1).stop() == .code(0))
      try page.expectText("Owner: n1", in: "#owner")
      try page.expectStatus("live")
      try page.open("#operations")
      try page.expectText("gone since", in: "#nodes li:nth-child(2)")
      try browser.expect("return document.querySelectorAll('#nodes li').length", is: 2)
    }

    @Test func `a killed node stays visible until a node of its name is back`() throws {
      let cluster = try NodeCluster(count: 2)
      let page = InspectorPage(browser: browser, server: try cluster[0])
      try page.open("#operations")
      try page.expectText("ready", in: "#nodes li:nth-child(2)")
      let killed = try cluster.remove(1)
      killed.process.signal(SIGKILL)
      _ = try killed.process.wait()
      try page.expectText("n2 gone since", in: "#nodes li:nth-child(2)")
    }

    @Test func `a service without a cluster shows neither nodes nor an owner`() throws {
      let server = try ReactordProcess("--store", "memory")
      let page = InspectorPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      #expect(try session.post(#""increase""#).status == 200)
      try page.open("#operations")
      try page.expectText("1 in memory", in: "#health")
      try browser.expect("return document.querySelector('#nodes-panel').hidden", is: true)
      try page.open(session)
      try page.expectText("version 1", in: "#sessions")
      try browser.expect("return document.querySelector('#owner').hidden", is: true)
      try page.expectNoComplaints()
    }
  }
}
