import Testing

/// A page that has nothing but what a test lets it do with `/reactor.js`.
struct ClientPage {
  let browser: Browser
  let server: ReactordProcess

  /// Loads a page of the service that runs no script of its own.
  func open() throws {
    try browser.open(server.url + "/problems/not-found")
  }

  /// Runs the body of an asynchronous function with the client as `client`, and gives what it returns.
  @discardableResult
  func run(_ body: String, _ arguments: JSON...) throws -> JSON {
    try browser.run(
      """
      const [first, second] = arguments;
      return (async () => {
        const client = await import("/reactor.js");
        const { reactor } = client;
        \(body)
      })();
      """, arguments.first ?? .null, arguments.dropFirst().first ?? .null)
  }

  /// Follows a session as `window.session`, and notes every State as `window.seen`.
  func follow(_ session: SessionClient) throws {
    try run(
      """
      window.session = reactor(first, second);
      window.seen = [];
      session.state.subscribe(({ value }) => seen.push(value));
      await new Promise((resolve) => session.connection.subscribe((it) => it === "live" && resolve()));
      await new Promise((resolve) => session.state.subscribe(resolve));
      """, .string(session.reactor), .string(session.id))
  }

  /// Waits until a script returns what is wanted.
  func expect(
    _ script: String, is wanted: JSON, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try browser.expect("return \(script)", is: wanted, sourceLocation: sourceLocation)
  }
}

extension SessionClient {
  /// The name of its reactor.
  var reactor: String { String(path.split(separator: "/")[2]) }
}

extension ReactordProcess {
  /// How many connections carry a stream, as the service counts them.
  func streams() throws -> Int? {
    try client().get("/metrics").text.split(separator: "\n")
      .first { $0.hasPrefix("reactord_streams ") }?.split(separator: " ").last.flatMap { Int($0) }
  }
}
