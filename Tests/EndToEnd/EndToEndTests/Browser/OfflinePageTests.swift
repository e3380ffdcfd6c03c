import Foundation
import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: the offline queue, and what tabs share that have a token.
  struct OfflinePageTests {
    let page: ClientPage
    let browser: Browser
    let server: ReactordProcess
    let session: SessionClient

    init() throws {
      server = try ReactordProcess()
      browser = try Browser()
      page = ClientPage(browser: browser, server: server)
      session = server.session(of: "counter")
      try page.open()
    }

    /// Configures the queue, and lets each action fail while `window.isOffline` is true.
    private func start(isOffline: Bool, _ settings: String = "{}") throws {
      try page.run(
        """
        window.isOffline = \(isOffline);
        // After 250 ms without a response the next action may overtake the first one.
        window.later ??= window.setTimeout;
        window.setTimeout = (action, pause, ...rest) =>
          pause === 250 ? 0 : later(action, pause, ...rest);
        window.posts ??= [];
        const real = window.fetch;
        window.fetch = async (address, options) => {
          if (options?.method !== "POST") return real(address, options);
          posts.push(options.headers["Idempotency-Key"]);
          if (isOffline) throw new TypeError("There is no network.");
          return real(address, options);
        };
        window.client = client;
        window.problems = [];
        addEventListener("error", (event) => { problems.push(event.message); event.preventDefault(); });
        client.configure({ offlineQueue: true, ...\(settings) });
        const reduce = (state, action) => ({ value: state.value + action.add });
        window.session = reactor("counter", first, { reduce });
        await new Promise((resolve) => session.state.subscribe(resolve));
        """, .string(session.id))
    }

    /// The number of stored actions.
    private func expectStored(_ count: Double, sourceLocation: SourceLocation = #_sourceLocation)
      throws
    {
      let script = """
        return (async () => {
          const database = await new Promise((resolve) => {
            const request = indexedDB.open("reactord", 1);
            request.onsuccess = () => resolve(request.result);
          });
          const request = database.transaction("actions").objectStore("actions").count();
          await new Promise((resolve) => { request.onsuccess = resolve; });
          return request.result;
        })()
        """
      try browser.expect(script, is: .number(count), sourceLocation: sourceLocation)
    }

    /// The numbers that the actions have added, in the order of their execution.
    private func added() throws -> [JSON] {
      try session.log("?limit=1000").json.array?.compactMap { $0["action"]?["add"] } ?? []
    }

    @Test func `actions that a page has shown are executed after a reload, once and in order`()
      throws
    {
      try start(isOffline: true)
      try page.run("for (let add = 1; add <= 20; add += 1) session.send({ add }).catch(() => {})")
      try page.expect("session.state.value.value", is: 210)
      try expectStored(20)
      // Two reloads without a network, and one with it.
      for _ in 0..<2 {
        try browser.reload()
        try start(isOffline: true)
        // The page shows them again.
        try page.expect("session.state.value.value", is: 210)
      }
      try page.run("session.send({ add: 21 }).catch(() => {})")
      try page.expect("session.state.value.value", is: 231)
      try expectStored(21)
      try browser.reload()
      try start(isOffline: false)
      try page.run("await session.send({ add: 1000 })")
      #expect(try added() == (1...21).map { .number(Double($0)) } + [1000])
      try page.expect("session.state.value.value", is: 1231)
      try expectStored(0)
    }

    @Test func `an action that reached the server before the reload is executed once`() throws {
      try start(isOffline: false)
      try page.run(
        """
        const real = window.fetch;
        await new Promise((resolve) => {
          window.fetch = async (address, options) => {
            if (options?.method !== "POST") return real(address, options);
            await real(address, options);
            resolve();
            return new Promise(() => {});
          };
          session.send({ add: 3 });
        });
        """)
      try expectStored(1)
      try browser.reload()
      try start(isOffline: false)
      try expectStored(0)
      #expect(try added() == [3])
    }

    @Test func `of several tabs one sends the actions of a tab that was closed`() throws {
      try start(isOffline: true)
      let first = try browser.window()
      let others = try (0..<2).map { _ in
        let window = try browser.openWindow()
        try page.open()
        try start(isOffline: false)
        return window
      }
      try browser.choose(window: first)
      try page.run("for (let add = 1; add <= 5; add += 1) session.send({ add }).catch(() => {})")
      try expectStored(5)
      // The tab lives: no other sends its actions.
      for window in others {
        try browser.choose(window: window)
        #expect(try page.run("return posts.length") == 0)
      }
      try browser.choose(window: first)
      try browser.closeWindow(andChoose: others[0])
      try expectStored(0)
      #expect(try added() == (1...5).map { .number(Double($0)) })
      let posts = try others.map { window in
        try browser.choose(window: window)
        return try page.run("return posts.length").int ?? -1
      }
      #expect(posts.sorted() == [0, 5])
    }

    @Test func `another user does not send the actions of the former one`() throws {
      let user = { (name: String) in
        "{ headers: {}, user: '\(name)' }"
      }
      try start(isOffline: true, user("ada"))
      try page.run(
        """
        window.rejections = [];
        session.send({ add: 1 }).catch(({ status }) => rejections.push(status));
        """)
      try expectStored(1)
      try page.run("isOffline = false; client.configure(\(user("bob")))")
      try page.expect("rejections", is: [401])
      try expectStored(0)
      #expect(try page.run("return (await session.send({ add: 5 })).value") == 5)
      #expect(try added() == [5])
      // A stored action waits for its user.
      try browser.reload()
      try start(isOffline: true, user("ada"))
      try page.run("session.send({ add: 7 }).catch(() => {})")
      try expectStored(1)
      try browser.reload()
      try start(isOffline: false, user("bob"))
      #expect(try page.run("return (await session.send({ add: 8 })).value") == 13)
      try expectStored(1)
      try browser.reload()
      try start(isOffline: false, user("ada"))
      try expectStored(0)
      #expect(try added() == [5, 8, 7])
    }

    @Test func `a rejected action is removed, and its rejection reported after a reload`() throws {
      try start(isOffline: true)
      try page.run("session.send('jump', { optimistic: null }).catch(() => {})")
      try expectStored(1)
      try browser.reload()
      try start(isOffline: false)
      try expectStored(0)
      try page.expect("problems.length", is: 1)
    }

    @Test func `tabs of one user share a connection and States also with tokens`() throws {
      let token = """
        { token: () => `e30.${btoa(JSON.stringify({ sub: "ada", exp: Date.now() / 1000 + 600,
          jti: Math.random() }))}.e30` }
        """
      try session.post("[]")
      try start(isOffline: false, token)
      let first = try browser.window()
      _ = try browser.openWindow()
      try page.open()
      try start(isOffline: false, token)
      try page.expect("session.connection.value", is: "live")
      #expect(try eventually { try server.streams() == 1 })
      _ = try browser.openWindow()
      try page.open()
      try start(isOffline: false, token.replacing("ada", with: "bob"))
      #expect(try eventually { try server.streams() == 2 })
      // The State of the page before is there without a network.
      try browser.choose(window: first)
      try page.run("await session.send({ add: 4 })")
      try browser.reload()
      #expect(
        try page.run(
          """
          const real = window.fetch;
          window.fetch = () => Promise.reject(new TypeError("There is no network."));
          client.configure(\(token));
          const session = reactor("counter", first);
          return new Promise((resolve) => session.state.subscribe(resolve));
          """, .string(session.id)) == ["value": 4])
    }
  }
}
