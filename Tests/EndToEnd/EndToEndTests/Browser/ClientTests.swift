import Foundation
import PublicTestData
import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: States, actions and patches.
  struct ClientTests {
    let page: ClientPage
    let server: ReactordProcess
    let session: SessionClient

    init() throws {
      server = try ReactordProcess.shared.get()
      page = ClientPage(browser: try Browser(), server: server)
      session = server.session(of: "counter")
      try page.open()
    }

    @Test func `a page subscribes to a State and sends an action`() throws {
      try page.follow(session)
      #expect(try page.run("return await session.send({ add: 2 })") == ["value": 2])
      #expect(try page.run("return seen") == [0, 2])
      try session.post(#""increase""#)
      try page.expect("seen", is: [0, 2, 3])
      #expect(try session.state().text == #"{"value":3}"#)
    }

    @Test func `two calls for a session return the same object`() throws {
      #expect(
        try page.run(
          "return reactor('counter', first) === reactor('counter', first)", .string(session.id))
          == true)
    }

    @Test func `an array of actions is sent as one`() throws {
      try page.follow(session)
      #expect(
        try page.run("return await session.send(['increase', { add: 4 }])") == ["value": 5])
    }

    @Test func `actions enter in the order in which they are sent`() throws {
      let room = server.session(of: "chat")
      #expect(
        try page.run(
          """
          // Without this, an action whose request takes longer than 250 ms does not delay the next one.
          const setTimeout = window.setTimeout;
          window.setTimeout = (action, delay, ...rest) =>
            delay === 250 ? 0 : setTimeout(action, delay, ...rest);
          const room = reactor("chat", first);
          room.send({ join: "Ada" });
          const texts = Array.from({ length: 30 }, (_, index) => String(index));
          await Promise.all(texts.map((text) => room.send({ send: { from: "Ada", text } })));
          return room.state.value.messages.map(({ text }) => text);
          """, .string(room.id)) == .array((0..<30).map { .string("\($0)") }))
    }

    @Test func `an action that does not change the view is sent, although no event follows`() throws
    {
      let auction = server.session(of: "sealed")
      #expect(
        try page.run(
          """
          // Without this, `send` waits for the stream no longer than 30 s.
          const setTimeout = window.setTimeout;
          window.setTimeout = (action, delay, ...rest) =>
            delay === 30_000 ? 0 : setTimeout(action, delay, ...rest);
          const auction = reactor("sealed", first);
          const seen = [];
          auction.state.subscribe(({ item }) => seen.push(item));
          await new Promise((resolve) => auction.connection.subscribe((it) => it === "live" && resolve()));
          const begin = { begin: { item: "A lamp" } };
          const { item } = await auction.send(begin);
          await auction.send(begin, { optimistic: (state) => ({ ...state, item: "?" }) });
          return [item, ...seen];
          """, .string(auction.id))
          == ["A lamp", "A lamp", "?", "A lamp"])
      #expect(try auction.state().cursor?.version == 2)
    }

    @Test func `a long effect does not delay the next action`() throws {
      let watch = server.session(of: "stopwatch")
      #expect(
        try page.run(
          """
          const watch = reactor("stopwatch", first);
          watch.send("start");
          return await watch.send("stop");
          """, .string(watch.id))["isRunning"] == false)
    }

    @Test func `a rejected action throws a problem with the reason`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          try {
            await session.send({ jump: 1 });
          } catch (problem) {
            const { status, members: { type, expected } } = problem;
            return { isProblem: problem instanceof client.Problem, status, type, expected };
          }
          """) == [
            "isProblem": true, "status": 422, "type": "/problems/invalid-action",
            "expected": ["increase", "decrease", "add"],
          ])
      #expect(try page.run("return seen") == [0])
    }

    @Test func `ifMatch rejects an action at another cursor`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const before = session.cursor;
          await session.send("increase", { ifMatch: before });
          return await session.send("increase", { ifMatch: before }).catch(({ status }) => status);
          """) == 412)
      #expect(try session.state().text == #"{"value":1}"#)
    }

    // MARK: Optimism

    @Test func `an optimistic State is shown immediately`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const reply = session.send({ add: 5 }, { optimistic: ({ value }) => ({ value: value + 5 }) });
          const shown = session.state.value;
          return [shown, await reply, session.state.value, session.confirmed.state];
          """) == [["value": 5], ["value": 5], ["value": 5], ["value": 5]])
      #expect(try page.run("return seen.every((value) => value === 0 || value === 5)") == true)
    }

    @Test func `an optimistic State is reverted if the action is rejected`() throws {
      try page.follow(session)
      try session.post(#"{"add":9223372036854775807}"#)
      try page.expect("String(session.state.value.value)", is: "9223372036854775807")
      #expect(
        try page.run(
          """
          const reply = session.send("increase", { optimistic: () => ({ value: "more" }) });
          const shown = session.state.value.value;
          const problem = await reply.catch((problem) => problem);
          return [shown, problem.status, String(session.state.value.value)];
          """) == ["more", 409, "9223372036854775807"])
    }

    @Test func `an optimistic State is applied on top of the changes of other clients`() throws {
      try page.follow(session)
      try page.browser.block("*/actions")
      try page.run(
        """
        window.reply =
          session.send({ add: 2 }, { optimistic: ({ value }) => ({ value: value + 2 }) });
        """)
      try page.expect("session.state.value.value", is: 2)
      try session.post(#"{"add":10}"#)
      try page.expect("session.state.value.value", is: 12)
      try page.browser.block()
      #expect(try page.run("return await reply") == ["value": 12])
      #expect(try session.state().text == #"{"value":12}"#)
    }

    @Test func `an action whose response was lost runs once`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const real = window.fetch;
          let lost = 0;
          window.fetch = async (address, options) => {
            const response = await real(address, options);
            if (options?.method !== "POST" || lost++ > 0) return response;
            throw new TypeError("The connection broke off.");
          };
          const state = await session.send({ add: 2 });
          return { state, lost };
          """) == ["state": ["value": 2], "lost": 2])
      #expect(try session.state().text == #"{"value":2}"#)
    }

    // MARK: Parts

    @Test func `integers retain all digits in both directions`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const { value } = await session.send(client.parse('{"add":9007199254740993}'));
          return [typeof value, String(value), client.stringify({ value })];
          """) == ["bigint", "9007199254740993", #"{"value":9007199254740993}"#])
    }

    @Test(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
    func `patches are applied according to RFC 6902`() throws {
      let failed = try page.run(
        """
        const isSame = (one, other) => {
          const sorted = (value) => JSON.stringify(value, (_, inner) =>
            inner && typeof inner === "object" && !Array.isArray(inner)
              ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
              : inner);
          return sorted(one) === sorted(other);
        };
        let count = 0;
        const failed = [];
        for (const { doc, patch, expected, error, disabled, comment } of first) {
          if (disabled || !doc || expected === undefined && !error) continue;
          count += 1;
          const before = JSON.stringify(doc);
          let result;
          try {
            result = client.patched(doc, patch);
          } catch (problem) {
            if (error) continue;
            failed.push([comment, String(problem)]);
            continue;
          }
          if (error || !isSame(result, expected)) failed.push([comment, result]);
          if (JSON.stringify(doc) !== before) failed.push([comment, "the document changed"]);
        }
        return [count > 50, failed];
        """, try Self.patchCases())
      #expect(failed == [true, []])
    }

    private static func patchCases() throws -> JSON {
      let file = PublicTestData.file("tests.js", of: "jsonpatch")
      return try JSON(parsing: String(contentsOf: file, encoding: .utf8))
    }

    @Test func `__proto__ is an ordinary member name`() throws {
      #expect(
        try page.run(
          """
          const state = client.patched(
            client.parse('{"a":{}}'),
            [{ op: "add", path: "/a/__proto__", value: { isEvil: true } }]);
          let rejection;
          try {
            client.patched({}, [{ op: "add", path: "/__proto__/isEvil", value: true }]);
          } catch (error) {
            rejection = error.name;
          }
          return [JSON.stringify(state), {}.isEvil ?? null, rejection];
          """) == [#"{"a":{"__proto__":{"isEvil":true}}}"#, nil, "RangeError"])
    }

    @Test func `many requests cause one layout pass, in the order of registration`() throws {
      #expect(
        try page.run(
          """
          const drawn = [];
          const passes = ["first", "second"].map((name) => client.layout(() => drawn.push(name)));
          for (let round = 0; round < 100; round += 1) {
            passes[1].setNeedsLayout();
            passes[0].setNeedsLayout();
          }
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return drawn;
          """) == ["first", "second"])
    }

    @Test func `a driver replaces errors, and an error does not end a stream`() throws {
      #expect(
        try page.run(
          """
          const values = new client.Value();
          const seen = [];
          values.map(({ name }) => name.length).driver(-1).subscribe((value) => seen.push(value));
          for (const value of [{ name: "Ada" }, {}, { name: "Grace" }]) values.set(value);
          return seen;
          """) == [3, -1, 5])
    }

    @Test func `throttle and debounce drop values`() throws {
      #expect(
        try page.run(
          """
          const values = new client.Value();
          const [throttled, debounced] = [[], []];
          const done = new Promise((resolve) =>
            values.debounce(30).subscribe((value) => { debounced.push(value); resolve(); }));
          values.throttle(10).distinct().subscribe((value) => throttled.push(value));
          for (const value of [1, 2, 3, 3]) values.set(value);
          await done;
          return [throttled, debounced];
          """) == [[1, 3], [3]])
    }

    @Test func `a deleted session has ended and can begin again`() throws {
      try page.follow(session)
      try page.run("await session.send('increase')")
      _ = try session.delete()
      try page.expect("session.connection.value", is: "ended")
      #expect(
        try page.run("return await session.send('increase').catch(({ status }) => status)") == 410)
      try page.run("await session.begin()")
      try page.expect("[session.connection.value, session.state.value.value]", is: ["live", 0])
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
    }

    @Test func `a session of an unknown reactor ends with a problem, and the others continue`()
      throws
    {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const wrong = reactor("nothing", "demo");
          await new Promise((resolve) =>
            wrong.connection.subscribe((status) => status === "ended" && resolve()));
          return wrong.problem.members.type;
          """) == "/problems/unknown-reactor")
      #expect(try page.run("return await session.send('increase')") == ["value": 1])
    }

    @Test func `the activity of effects is published`() throws {
      let watch = server.session(of: "stopwatch")
      try page.run(
        """
        window.running = [];
        window.watch = reactor("stopwatch", first);
        watch.activity.map(({ running }) => running).distinct()
          .subscribe((value) => running.push(value));
        watch.send("start");
        """, .string(watch.id))
      try page.expect("running.at(-1)", is: 1)
      try page.run("await watch.send('stop')")
      try page.expect("running", is: [0, 1, 0])
    }
  }
}
