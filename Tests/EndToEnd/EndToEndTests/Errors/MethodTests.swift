import Testing

/// HEAD, OPTIONS, and methods that an address does not have.
@Suite(.blocking)
struct MethodTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  /// The addresses of the contract, with their methods except HEAD and OPTIONS.
  static let addresses: [(path: String, methods: Set<String>)] = [
    ("/", ["GET"]), ("/healthz", ["GET"]), ("/readyz", ["GET"]), ("/v1/reactors", ["GET"]),
    ("/v1/reactors/counter", ["GET"]), ("/v1/reactors/counter/sessions", ["GET", "POST"]),
    ("S", ["GET", "PUT", "DELETE"]), ("S/state", ["GET"]), ("S/actions", ["POST"]),
    ("S/log", ["GET"]), ("S/events", ["GET"]), ("/v1/globals", ["GET"]),
    ("/v1/globals/currentUser", ["GET", "PUT"]), ("/problems/malformed-json", ["GET"]),
    ("/metrics", ["GET"]), ("/openapi.json", ["GET"]),
    ("/asyncapi.json", ["GET"]), ("/llms.txt", ["GET"]),
  ]

  private func path(_ address: String) -> String {
    address.hasPrefix("S") ? session.path + address.dropFirst() : address
  }

  @Test(arguments: addresses.filter { $0.methods.contains("GET") && $0.path != "S/events" })
  func `HEAD responds as GET does, without the body`(address: String, methods: Set<String>) throws {
    try session.post(#""increase""#)
    let client = session.client
    let get = try client.get(path(address))
    let head = try client.send("HEAD", path(address))
    #expect(head.status == get.status)
    #expect(head.body.isEmpty)
    for name in ["Content-Type", "ETag"] { #expect(head[name] == get[name]) }
    // The list changes when other tests create sessions.
    if !address.hasSuffix("/sessions"), address != "/metrics" {
      #expect(head["Content-Length"] == get["Content-Length"])
    }
    // No bytes that would be read as the next response are left on the connection.
    #expect(try client.get("/healthz").status == 200)
  }

  @Test func `HEAD of a stream returns its head`() throws {
    try session.post("[]")
    let response = try session.client.send("HEAD", session.path + "/events")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(try eventually { try session.subscribers() == 0 })
  }

  @Test(arguments: addresses)
  func `OPTIONS responds with Allow`(address: String, methods: Set<String>) throws {
    let response = try session.client.send("OPTIONS", path(address))
    #expect([200, 204].contains(response.status))
    #expect(allowed(response) == complete(methods))
  }

  @Test(arguments: addresses, ["GET", "POST", "PUT", "DELETE", "PATCH", "PROPFIND"])
  func `a method that an address does not have is 405 with Allow`(
    address: (path: String, methods: Set<String>), method: String
  ) throws {
    guard !address.methods.contains(method) else { return }
    let response = try session.client.send(method, path(address.path), body: [])
    try expectProblem(response, 405, "method-not-allowed")
    #expect(allowed(response) == complete(address.methods))
  }

  private func allowed(_ response: HTTPResponse) -> Set<String> {
    Set((response["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
  }

  private func complete(_ methods: Set<String>) -> Set<String> {
    methods.union(methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"])
  }
}
