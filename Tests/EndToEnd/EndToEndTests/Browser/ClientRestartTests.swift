import Foundation
import Glibc
import Testing

extension ClientBrowserTests {
  /// `/reactor.js` on slow networks and across restarts of the server.
  struct ClientRestartTests {
    let browser: Browser

    init() throws {
      browser = try Browser()
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a page resumes after a restart without lost or duplicate actions`(
      signal: Int32
    ) throws {
      let folder = try TemporaryFolder()
      let store = "sqlite:" + folder["log.db"]
      let port = try ReservedPort()
      let server = try ReactordProcess("--listen", port.address, "--store", store)
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.run("window.isSamePage = true")
      try page.follow(session)
      for _ in 1...3 { try page.run("await session.send('increase')") }

      server.process.signal(signal)
      try server.process.wait()
      try page.expect("session.connection.value", is: "reconnecting")
      // The action is sent while no server listens.
      try page.run("window.reply = session.send({ add: 10 })")

      let next = try ReactordProcess("--listen", port.address, "--store", store)
      #expect(try page.run("return await reply") == ["value": 13])
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 14])
      try page.expect("seen", is: [0, 1, 2, 3, 13, 14])
      #expect(try successor.state().text == #"{"value":14}"#)
      #expect(try page.run("return window.isSamePage") == true)
    }

    @Test func `a page accepts the new history of a server that lost the old one`() throws {
      let port = try ReservedPort()
      let server = try ReactordProcess("--listen", port.address)
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.follow(session)
      try page.run("await session.send({ add: 5 })")
      server.process.signal(SIGKILL)
      try server.process.wait()
      let next = try ReactordProcess("--listen", port.address)
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 1])
      #expect(try page.run("return await session.send('increase')") == ["value": 2])
    }

    @Test func `all tabs show the older State of a server whose backup was restored`() throws {
      let folder = try TemporaryFolder()
      let port = try ReservedPort()
      let start = { (name: String) in
        try ReactordProcess(
          "--listen", port.address, "--store", "sqlite:" + folder[name] + "/log.db")
      }
      let files = FileManager.default
      try files.createDirectory(atPath: folder["store"], withIntermediateDirectories: true)
      var server = try start("store")
      let session = server.session(of: "counter")
      for _ in 1...5 { try session.post(#""increase""#) }
      try server.stop()
      try files.copyItem(atPath: folder["store"], toPath: folder["backup"])

      server = try start("store")
      let page = ClientPage(browser: browser, server: server)
      var windows: [String] = []
      for _ in 0..<2 {
        windows.append(try browser.openWindow())
        try page.open()
        try page.follow(session)
      }
      for value in 6...7 {
        #expect(
          try page.run("return await session.send('increase')")
            == ["value": .number(Double(value))])
      }
      try server.stop()

      server = try start("backup")
      for window in windows {
        try browser.choose(window: window)
        try page.expect("session.state.value", is: ["value": 5])
      }
      let successor = SessionClient(server.client(), session.path)
      for value in [15, 25, 35] {
        try successor.post(#"{"add":10}"#)
        for window in windows {
          try browser.choose(window: window)
          try page.expect("session.state.value.value", is: .number(Double(value)))
        }
      }
    }

    @Test func `optimistic States stay on a slow network`() throws {
      let server = try ReactordProcess.shared.get()
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.follow(session)
      try browser.slowDown(latency: 400, bytesPerSecond: 20_000)
      #expect(
        try page.run(
          """
          const optimistic = ({ value }) => ({ value: value + 1 });
          const replies = Array.from({ length: 5 }, () => session.send("increase", { optimistic }));
          const shown = session.state.value.value;
          await Promise.all(replies);
          return [shown, session.state.value.value, session.confirmed.state.value];
          """) == [5, 5, 5])
      #expect(try session.state().text == #"{"value":5}"#)
      // No value was shown and then reverted.
      #expect(
        try page.run("return seen.every((value, index) => index === 0 || value >= seen[index - 1])")
          == true)
    }

    @Test func `a broken connection is reopened`() throws {
      let port = try ReservedPort()
      let server = try ReactordProcess("--listen", port.address)
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.follow(session)
      try browser.block("*/v1/events*")
      server.process.signal(SIGTERM)
      try server.process.wait()
      try page.expect("session.connection.value", is: "reconnecting")
      let next = try ReactordProcess("--listen", port.address)
      try browser.block()
      try page.expect("session.connection.value", is: "live")
      _ = next
    }
  }
}
