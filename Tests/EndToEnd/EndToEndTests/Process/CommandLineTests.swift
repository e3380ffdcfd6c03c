import Foundation
import Testing

/// Settings, and errors at the start.
@Suite(.blocking)
struct CommandLineTests {
  private let start = ["serve", "--listen", "127.0.0.1:0", "--store", "memory"]

  /// Writes a configuration file, and removes it after `body`.
  private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result
  {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("reactord-\(UUID().uuidString).json5")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }

  private func expectRefusal(
    _ arguments: [String], program: String = "reactord", environment: [String: String] = [:],
    code: Int32, naming: String = "reactord",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let process = try ReactordProcess.launch(
      arguments, program: program, environment: environment)
    #expect(try process.wait() == .code(code), sourceLocation: sourceLocation)
    #expect(process.standardOutput.isEmpty, sourceLocation: sourceLocation)
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.first?.contains(naming) == true, sourceLocation: sourceLocation)
    if code == 78 { #expect(lines.count == 1, sourceLocation: sourceLocation) }
  }

  @Test func `the first line of standard output ends with the address`() throws {
    let server = try ReactordProcess()
    let line = try #require(server.process.firstLine())
    #expect(line == "reactord listening on http://127.0.0.1:\(server.port)")
    #expect(server.port != 0)
    #expect(try server.client().get("/healthz").status == 200)
    try server.stop()
    #expect(server.process.standardOutput == line + "\n")
  }

  @Test(arguments: [["serve", "--nonsense"], ["nonsense"], ["serve", "--listen"]])
  func `an invalid command line exits with 64`(arguments: [String]) throws {
    try expectRefusal(arguments, code: 64)
  }

  @Test(arguments: [
    ["--streams-heartbeat", "0"], ["--limits-body", "-1"], ["--sessions-create", "maybe"],
    ["--listen", "nowhere"], ["--log-level", "loud"], ["--actions-wait", "soon"],
  ])
  func `a value out of range exits with 78`(flags: [String]) throws {
    try expectRefusal(["serve"] + flags, code: 78, naming: flags[0])
  }

  @Test func `an invalid value in the environment exits with 78`() throws {
    try expectRefusal(
      start, environment: ["REACTORD_ACTIONS_WAIT": "soon"], code: 78,
      naming: "REACTORD_ACTIONS_WAIT")
  }

  @Test(arguments: [
    ("{ streams: { heartbeets: 3 } }", "streams.heartbeets"),
    ("{ limits: { body: 0 } }", "limits.body"),
    ("{ streams: ", "reactord"), ("[]", "reactord"),
  ])
  func `an invalid configuration file exits with 78`(text: String, naming: String) throws {
    try withFile(text) { path in
      try expectRefusal(start + ["--config", path], code: 78, naming: naming)
    }
  }

  @Test func `a missing configuration file exits with 78`() throws {
    try expectRefusal(start + ["--config", "/nonexistent/file"], code: 78)
    try expectRefusal(start, environment: ["REACTORD_CONFIG": "/nonexistent/file"], code: 78)
  }

  @Test func `an address in use exits with 78`() throws {
    let server = try ReactordProcess()
    try expectRefusal(
      ["serve", "--store", "memory", "--listen", "127.0.0.1:\(server.port)", "--start-wait", "0"],
      program: "adjustable", code: 78, naming: "listen")
  }

  @Test func `an unknown variable is a warning`() throws {
    let server = try ReactordProcess(
      [], environment: ["REACTORD_PORT_8080_TCP": "tcp://10.0.0.1:8080"])
    #expect(try server.client().get("/healthz").status == 200)
    try server.stop()
    #expect(eventually { server.standardError.contains("REACTORD_PORT_8080_TCP") })
  }

  @Test func `flags override the environment, which overrides the file`() throws {
    func limit(_ flags: [String], _ environment: [String: String]) throws -> Int? {
      let server = try ReactordProcess(flags, environment: environment)
      let response = try server.session(of: "counter").post(String(repeating: " ", count: 500))
      return try expectProblem(response, 413, "body-too-large")["limit"]?.int
    }
    let variable = ["REACTORD_LIMITS_BODY": "200"]
    try withFile("{ limits: { body: 100, /* a comment */ }, }") { (path) throws in
      #expect(try limit(["--config", path], [:]) == 100)
      #expect(try limit([], ["REACTORD_CONFIG": path]) == 100)
      #expect(try limit(["--config", path], variable) == 200)
      #expect(try limit(["--config", path, "--limits-body", "300"], variable) == 300)
    }
  }

  @Test(arguments: [["--help"], ["serve", "--help"], ["--version"], ["serve", "--version"]])
  func `help and version are printed to standard output`(arguments: [String]) throws {
    let process = try ReactordProcess.launch(arguments)
    #expect(try process.wait() == .code(0))
    #expect(!process.standardOutput.isEmpty)
    #expect(process.standardError.isEmpty)
  }

  @Test func `log lines as JSON are one object per line`() throws {
    let server = try ReactordProcess("--log-format", "json", "--log-level", "debug")
    _ = try server.client().get("/v1/reactors")
    try server.stop()
    let lines = server.standardError.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines { #expect(try !JSON(parsing: String(line)).names.isEmpty) }
  }
}
