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
