import Foundation
import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: a State with sets, which each process iterates in another order.
  struct ClientSetTests {
    @Test func `a page shows each State with sets over cut connections and restarts`() throws {
      let folder = try TemporaryFolder()
      let port = try ReservedPort()
      let start = {
        try ReactordProcess(
          "--listen", port.address, "--store", "sqlite:" + folder["log.db"], program: "faulty")
      }
      var server = try start()
      let browser = try Browser()
      let page = ClientPage(browser: browser, server: server)
      // The page and the module come in one piece; then each connection is cut after a few events.
      let proxy = try FaultyProxy(to: server.port, after: 1_000_000...1_000_000)
      try browser.open("http://127.0.0.1:\(proxy.port)/problems/not-found")
      try page.run(
        """
        window.failures = [];
        window.addEventListener("error", (event) => failures.push(event.message));
        """)
      proxy.cut(after: 1500...4000)
      let path = server.session(of: "shelf").path
      try page.follow(SessionClient(server.client(), path))
      try page.run("window.shown = []; session.state.subscribe((state) => shown.push(state))")

      var states: Set<JSON> = []
      for life in 0..<3 {
        let session = SessionClient(server.client(), path)
        states.insert(try session.state().json)
        for number in 0..<20 {
          states.insert(try session.post(UnorderedStateTests.action(life * 20 + number)).json)
        }
        try page.expect("session.state.value", is: try session.state().json)
        // The page receives what the next process removes as a patch of the elements that it shows.
        try server.stop()
        server = try start()
        try page.expect("session.connection.value", is: "live")
      }
      let session = SessionClient(server.client(), path)
      let last = try session.post(#"{"untag":"new"}"#).json
      states.insert(last)
      try page.expect("session.state.value", is: last)

      #expect(proxy.cutCount > 0)
      #expect(try page.run("return failures") == [])
      let shown = try #require(try page.run("return shown").array)
      #expect(shown.count > 3)
      #expect(Set(shown).subtracting(states).isEmpty)
    }
  }
}
