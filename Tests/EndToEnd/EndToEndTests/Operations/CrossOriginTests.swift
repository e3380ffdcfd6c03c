import Testing

/// `cors.origins`: web pages of other origins.
@Suite(.blocking)
struct CrossOriginTests {
  private static let page = "https://app.example.org"
  private let preflight = [
    "Origin": page, "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  ]

  private func allowing(_ flags: String...) throws -> (ReactordProcess, SessionClient) {
    let server = try ReactordProcess(
      ["--cors-origins", "\(Self.page),http://localhost:5173"] + flags)
    return (server, server.session(of: "counter"))
  }

  @Test func `no origin is allowed unless configured`() throws {
    let session = try ReactordProcess.shared.get().session(of: "counter")
    let question = try session.client.send("OPTIONS", session.path + "/actions", preflight)
    let response = try session.state("", ["Origin": Self.page])
    for response in [question, response] {
      #expect(response.headers.allSatisfy { !$0.name.hasPrefix("Access-Control-") })
    }
    #expect(question["Allow"] != nil)
  }

  @Test func `a preflight of an allowed page lists methods and fields, and may be cached`() throws {
    let (server, session) = try allowing()
    defer { withExtendedLifetime(server) {} }
    let response = try session.client.send("OPTIONS", session.path + "/actions", preflight)
    #expect(response.status == 204)
    #expect(response["Access-Control-Allow-Origin"] == Self.page)
    #expect(response["Access-Control-Allow-Methods"]?.contains("POST") == true)
    let fields = response["Access-Control-Allow-Headers"]?.lowercased() ?? ""
    for field in ["content-type", "if-match", "idempotency-key", "prefer", "last-event-id"] {
      #expect(fields.contains(field))
    }
    #expect(response["Access-Control-Max-Age"] == "600")
    #expect(response["Access-Control-Allow-Credentials"] == nil)
    #expect(response["Vary"]?.contains("Origin") == true)
  }

  @Test func `an allowed page reads responses, errors and streams, with their fields`() throws {
    let (server, session) = try allowing()
    defer { withExtendedLifetime(server) {} }
    let origin = ["Origin": "http://localhost:5173"]
    let stream = try session.events("", origin)
    for response in [
      try session.state("", origin), try session.post(#""increase""#, origin),
      try session.post("{", origin), try session.client.get("/nothing", origin), stream.head,
    ] {
      #expect(response["Access-Control-Allow-Origin"] == "http://localhost:5173")
      let exposed = response["Access-Control-Expose-Headers"] ?? ""
      for field in [
        "ETag", "Link", "Location", "Preference-Applied", "Idempotent-Replayed", "Retry-After",
        "X-Request-Id",
      ] {
        #expect(exposed.contains(field))
      }
      #expect(response["Vary"]?.contains("Origin") == true)
    }
  }

  @Test func `a page can read that its body was too large`() throws {
    let (server, session) = try allowing("--limits-body", "100")
    defer { withExtendedLifetime(server) {} }
    let response = try session.post(
      "[" + String(repeating: " ", count: 200) + "]",
      ["Origin": Self.page, "X-Request-Id": "large-1"])
    try expectProblem(response, 413, "body-too-large")
    #expect(response["Access-Control-Allow-Origin"] == Self.page)
    #expect(response["X-Request-Id"] == "large-1")
  }

  @Test(arguments: [
    "https://app.example.org:443", "http://app.example.org", "https://evil-app.example.org",
    "https://app.example.org.evil.org", "null", "https://APP.example.org",
  ])
  func `another origin gets no CORS fields, and caches vary by origin`(origin: String) throws {
    let (server, session) = try allowing()
    defer { withExtendedLifetime(server) {} }
    let response = try session.state("", ["Origin": origin])
    #expect(response["Access-Control-Allow-Origin"] == nil)
    #expect(response["Vary"]?.contains("Origin") == true)
  }

  @Test func `apps, extensions, subdomains and a field of its own are allowed by name`() throws {
    let origins = [
      "capacitor://localhost", "ionic://localhost", "tauri://localhost", "http://tauri.localhost",
      "https://localhost", "http://[::1]:5173", "app://-", "file://", "null",
      "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb",
      "vscode-webview://1kkm3kv3fh6v3u6qh4lv1eu0c0m0", "https://app.example.org:8443",
    ]
    let server = try ReactordProcess(
      "--cors-origins", (origins + ["https://*.example.com"]).joined(separator: ","),
      "--cors-headers", "X-App")
    let session = server.session(of: "counter")
    for origin in origins + ["https://a.b.example.com"] {
      let question = try session.client.send(
        "OPTIONS", session.path + "/actions", preflight.merging(["Origin": origin]) { $1 })
      #expect(question["Access-Control-Allow-Origin"] == origin)
      let fields = question["Access-Control-Allow-Headers"] ?? ""
      for field in ["traceparent", "tracestate", "baggage", "X-App"] {
        #expect(fields.contains(field))
      }
      let action = try session.post(
        #""increase""#, ["Origin": origin, "Sec-Fetch-Site": "cross-site"])
      #expect(action.status == 200)
      #expect(action["Access-Control-Allow-Origin"] == origin)
    }
  }

  @Test func `credentials are allowed only where configured`() throws {
    let (server, session) = try allowing("--cors-credentials", "true")
    defer { withExtendedLifetime(server) {} }
    #expect(
      try session.state("", ["Origin": Self.page])["Access-Control-Allow-Credentials"] == "true")
  }

  @Test(arguments: ["*", "example.org", "https://example.org/", "https://a.*.org", "https://a b"])
  func `an invalid origin prevents the start`(origin: String) throws {
    let process = try ReactordProcess.launch(
      ["serve", "--store", "memory", "--listen", "127.0.0.1:0", "--cors-origins", origin])
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains("cors-origins"))
  }
}
