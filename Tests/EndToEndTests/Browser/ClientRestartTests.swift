import Glibc
import Testing

extension BrowserTests {
  /// `/reactor.js` on a network and with a server as they are.
  struct ClientRestartTests {
    let browser: Browser

    init() throws {
      browser = try Browser()
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a page goes on under a server that comes back, with nothing lost or doubled`(
      signal: Int32
    ) throws {
      let folder = try TemporaryFolder()
      let store = "sqlite:" + folder["log.db"]
      let server = try ReactordProcess("--store", store)
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.run("window.isSamePage = true")
      try page.follow(session)
      for _ in 1...3 { try page.run("await session.send('increase')") }

      server.process.signal(signal)
      try server.process.wait()
      try page.expect("session.connection.value", is: "reconnecting")
      // Sent while nobody listens.
      try page.run("window.answer = session.send({ add: 10 })")

      let next = try ReactordProcess(
        "--listen", "127.0.0.1:\(server.port)", "--store", store)
      #expect(try page.run("return await answer") == ["value": 13])
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 14])
      try page.expect("seen", is: [0, 1, 2, 3, 13, 14])
      #expect(try successor.state().text == #"{"value":14}"#)
      #expect(try page.run("return window.isSamePage") == true)
    }

    @Test func `a new history is told as it is`() throws {
      let server = try ReactordProcess()
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.follow(session)
      try page.run("await session.send({ add: 5 })")
      server.process.signal(SIGKILL)
      try server.process.wait()
      let next = try ReactordProcess("--listen", "127.0.0.1:\(server.port)")
      let successor = SessionClient(next.client(), session.path)
      try successor.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 1])
      #expect(try page.run("return await session.send('increase')") == ["value": 2])
    }

    @Test func `a slow network is no hindrance`() throws {
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
          const answers = Array.from({ length: 5 }, () => session.send("increase", { optimistic }));
          const shown = session.state.value.value;
          await Promise.all(answers);
          return [shown, session.state.value.value, session.confirmed.state.value];
          """) == [5, 5, 5])
      #expect(try session.state().text == #"{"value":5}"#)
      // Nothing that was shown had to be taken back.
      #expect(
        try page.run("return seen.every((value, index) => index === 0 || value >= seen[index - 1])")
          == true)
    }

    @Test func `a connection that is cut is made again`() throws {
      let server = try ReactordProcess()
      let page = ClientPage(browser: browser, server: server)
      let session = server.session(of: "counter")
      try page.open()
      try page.follow(session)
      try browser.block("*/v1/events*")
      server.process.signal(SIGTERM)
      try server.process.wait()
      try page.expect("session.connection.value", is: "reconnecting")
      let next = try ReactordProcess("--listen", "127.0.0.1:\(server.port)")
      try browser.block()
      try page.expect("session.connection.value", is: "live")
      _ = next
    }
  }
}
