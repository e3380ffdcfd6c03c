import Testing

/// A page without scripts of its own, in which a test uses `/reactor.js`.
struct ClientPage {
  let browser: Browser
  let server: ReactordProcess

  /// Loads a page of the service that runs no script of its own.
  func open() throws {
    try browser.open(server.url + "/problems/not-found")
  }

  /// Executes the body of an asynchronous function, with the module as `client`, and returns its result.
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

  /// Opens a session as `window.session` and records the values of its States in `window.seen`.
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

  /// Waits until an expression has a value.
  func expect(
    _ script: String, is expected: JSON, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try browser.expect("return \(script)", is: expected, sourceLocation: sourceLocation)
  }
}

extension SessionClient {
  /// The name of its reactor.
  var reactor: String { String(path.split(separator: "/")[2]) }
}

extension ReactordProcess {
  /// The number of open event streams, according to the metrics.
  func streams() throws -> Int? {
    try client().get("/metrics").text.split(separator: "\n")
      .first { $0.hasPrefix("reactord_streams ") }?.split(separator: " ").last.flatMap { Int($0) }
  }
}
