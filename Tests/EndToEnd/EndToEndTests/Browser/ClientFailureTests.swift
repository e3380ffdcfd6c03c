import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: requests that fail, and rejected streams.
  struct ClientFailureTests {
    private let page: ClientPage
    private let session: SessionClient

    init() throws {
      let server = try ReactordProcess.shared.get()
      page = ClientPage(browser: try Browser(), server: server)
      session = server.session(of: "counter")
      try page.open()
    }

    @Test func `actions run in order, although the pause of the first one is longer`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const real = window.fetch;
          const sent = [];
          let fail;
          const broken = new Promise((_, reject) => { fail = reject; });
          window.fetch = (address, options) => {
            if (options?.method !== "POST") return real(address, options);
            sent.push(options.body);
            if (sent.length === 2) {
              const shares = [1, 0];
              Math.random = () => shares.shift() ?? 0;
              fail(new TypeError("The connection broke off."));
            }
            return sent.length <= 2 ? broken : real(address, options);
          };
          await Promise.all([{ add: 1 }, { add: 2 }].map((action) => session.send(action)));
          return sent;
          """) == [#"{"add":1}"#, #"{"add":2}"#, #"{"add":1}"#, #"{"add":2}"#])
    }

    @Test(arguments: [
      "dispatchEvent(new Event('online'))",
      "document.dispatchEvent(new Event('freeze')); document.dispatchEvent(new Event('resume'))",
    ])
    func `an action that waits is sent when the network or the stream returns`(event: String) throws
    {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const real = window.fetch;
          const timeout = window.setTimeout;
          let paused;
          const pause = new Promise((resolve) => { paused = resolve; });
          Math.random = () => 1;
          let count = 0;
          window.fetch = async (address, options) => {
            if (options?.method !== "POST" || (count += 1) > 5) return real(address, options);
            throw new TypeError("There is no network.");
          };
          // The last pause, of 8 s, never ends.
          window.setTimeout = (action, pause, ...rest) => {
            if (count === 5 && pause === 8_000) return paused();
            return timeout(action, pause >= 500 && pause < 8_000 ? 0 : pause, ...rest);
          };
          const sending = session.send({ add: 7 });
          await pause;
          \(event);
          return [await sending, count];
          """) == [["value": 7], 6])
    }

    @Test func `no response of a front loses, repeats or reorders an action, or ends the stream`()
      throws
    {
      #expect(
        try page.run(
          #"""
          const real = window.fetch;
          const pauses = window.setTimeout;
          // After 250 ms without a response the next action may overtake the first one.
          window.setTimeout = (action, pause, ...rest) => pause === 250
            ? 0 : pauses(action, pause >= 500 && pause <= 20_000 ? 0 : pause, ...rest);
          Math.random = () => 1;
          const problem = "application/problem+json";
          const bodies = (status) => [
            ["", ""], ["text/html", "<html>", '"5f3e1a2b-264"'], ["application/json", "[]"],
            [problem, '{"type":"https://gateway.example/quota","title":"No"}'],
            [problem, '{"type":"/problems/unknown-reactor","tit'],
            [problem, `{"type":"/problems/${status === 422 ? "forbidden" : "invalid-action"}"}`],
          ].map(([type, body, tag]) => new Response([204, 205, 304].includes(status) ? null : body, {
            status, headers: { ...(type && { "Content-Type": type }), ...(tag && { ETag: tag }) },
          }));
          const make = () => Array.from({ length: 400 }, (_, index) => bodies(200 + index)).flat();
          const left = { actions: make(), events: make() };
          window.fetch = async (address, options) => {
            const responses = left[address.pathname.split("/").at(-1)];
            const response = responses?.shift();
            if (!response) return real(address, options);
            // Half of the actions reach the server, and their responses are lost.
            if (options.method === "POST" && responses.length % 2) await real(address, options);
            return response;
          };
          const session = reactor("counter", first);
          const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
          await Promise.all(numbers.map((add) => session.send({ add })));
          await new Promise((resolve) =>
            session.state.subscribe(({ value }) => value === 210 && resolve()));
          const log = await (await real(`/v1/reactors/counter/sessions/${first}/log`)).json();
          return [log.map(({ action }) => action.add), left.actions.length, left.events.length];
          """#, .string(session.id)) == [.array((1...20).map { .number(Double($0)) }), 0, 0])
    }

    @Test func `an action may run longer than the time in which it is sent again`() throws {
      try page.follow(session)
      #expect(
        try page.run(
          """
          const real = window.fetch;
          const clocks = [Date, performance].map((clock) => ({ clock, now: clock.now.bind(clock) }));
          let late = 0;
          for (const { clock, now } of clocks) clock.now = () => now() + late;
          const limits = [];
          const { timeout } = AbortSignal;
          AbortSignal.timeout = (time) => {
            limits.push(time);
            return timeout.call(AbortSignal, time);
          };
          Math.random = () => 0;
          let count = 0;
          window.fetch = async (address, options) => {
            if (options?.method !== "POST") return real(address, options);
            late += 50_000;
            count += 1;
            if (count <= 2) throw new TypeError("The connection broke off.");
            if (count === 4) return real(address, options);
            return Response.json({ type: "/problems/action-running" }, {
              status: 409, headers: { "Content-Type": "application/problem+json" },
            });
          };
          const state = await session.send({ add: 2 }, { wait: 50 });
          return { state, count, limits };
          """) == [
            "state": ["value": 2], "count": 4, "limits": [60_000, 60_000, 60_000, 60_000],
          ])
    }

    @Test func `a stream that is rejected for a time is the only request, until Retry-After`()
      throws
    {
      #expect(
        try page.run(
          """
          const real = window.setTimeout;
          const pauses = [];
          window.setTimeout = (action, pause, ...rest) => {
            pauses.push(pause);
            return real(action, pause, ...rest);
          };
          const paths = [];
          window.fetch = async (address) => {
            paths.push(address.pathname);
            return new Response("{}", { status: 503, headers: { "Retry-After": "7" } });
          };
          const [session] = ["one", "two", "three"].map((id) => reactor("counter", id));
          await new Promise((resolve) =>
            session.connection.subscribe((status) => status === "reconnecting" && resolve()));
          return [paths, pauses.filter((pause) => pause >= 7_000 && pause < 8_000).length];
          """) == [["/v1/events"], 1])
    }

    @Test func `a stream that is rejected for another reason ends its sessions with that reason`()
      throws
    {
      #expect(
        try page.run(
          """
          let [active, most] = [0, 0];
          const methods = new Set();
          window.fetch = async (address, options) => {
            if (address.pathname === "/v1/events") {
              const body = { type: "/problems/invalid-parameter", title: "Too long", parameter: "name" };
              return Response.json(
                body, { status: 400, headers: { "Content-Type": "application/problem+json" } });
            }
            methods.add(options.method);
            active += 1;
            most = Math.max(most, active);
            await new Promise((resolve) => { setTimeout(resolve); });
            active -= 1;
            return new Response();
          };
          const sessions = Array.from({ length: 12 }, (_, id) => reactor("counter", String(id)));
          const titles = await Promise.all(sessions.map((session) => new Promise((resolve) =>
            session.connection.subscribe(
              (status) => status === "ended" && resolve(session.problem.members.title)))));
          return [new Set(titles).size, titles[0], [...methods], most];
          """) == [1, "Too long", ["HEAD"], 4])
    }

    @Test func `more sessions than a stream may have are on several streams`() throws {
      let server = try ReactordProcess()
      let page = ClientPage(browser: page.browser, server: server)
      try page.open()
      let ids: [JSON] = (0..<203).map { _ in .string(server.session(of: "counter").id) }
      #expect(
        try page.run(
          """
          window.sessions = first.slice(0, 202).map((id) => reactor("counter", id));
          await Promise.all(sessions.map((session) =>
            new Promise((resolve) => session.state.subscribe(resolve))));
          sessions.push(reactor("counter", first[202]));
          const states = await Promise.all(sessions.map((session) => session.send("increase")));
          return states.every(({ value }) => value === 1);
          """, .array(ids)) == true)
      try page.expect("sessions.every(({ connection }) => connection.value === 'live')", is: true)
      for id in ids {
        let other = SessionClient(
          server.client(), "/v1/reactors/counter/sessions/\(id.string ?? "")")
        try other.post(#""increase""#)
      }
      try page.expect("sessions.every(({ state }) => state.value.value === 2)", is: true)
    }

    @Test func `a token is renewed after its lifetime, although the clock of the device is ahead`()
      throws
    {
      #expect(
        try page.run(
          """
          const real = window.setTimeout;
          let renewed;
          const renewal = new Promise((resolve) => { renewed = resolve; });
          let isOpen = false;
          window.setTimeout = (action, pause, ...rest) => {
            if (isOpen && pause !== 45_000) renewed(pause);
            return real(action, pause, ...rest);
          };
          const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
          const claims = btoa(JSON.stringify({ iat: hourAgo, exp: hourAgo + 300 }));
          let count = 0;
          client.configure({ token: () => { count += 1; return `e30.${claims}.e30`; } });
          window.fetch = async (address) => {
            if (address.pathname !== "/v1/events") return new Response();
            isOpen = true;
            return new Response(
              new ReadableStream(), { headers: { "Content-Type": "text/event-stream" } });
          };
          reactor("counter", "demo");
          const pause = await renewal;
          await client.request("v1/reactors");
          return [pause > 280_000 && pause <= 290_000, count];
          """) == [true, 1])
    }

    @Test func `the error of the function for tokens is the cause of the problem`() throws {
      #expect(
        try page.run(
          """
          client.configure({ token: () => { throw new RangeError("No user has signed in."); } });
          const problem = await client.request("v1/reactors").catch((problem) => problem);
          return [problem.status, problem.cause.message];
          """) == [0, "No user has signed in."])
    }
  }
}
