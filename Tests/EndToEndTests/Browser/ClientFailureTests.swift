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
  }
}
