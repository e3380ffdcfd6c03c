import Testing

@testable import ReactorService
@testable import TerminalClient

struct InvocationTests {
  @Test(arguments: [["--help"], ["-h"], ["health", "--help"]])
  func `help lists the commands`(_ arguments: [String]) throws {
    let text = try #require(try CommandLineCase(arguments: arguments).text())
    for command in ["serve", "health", "defaults", "--version"] { #expect(text.contains(command)) }
  }

  @Test(arguments: [["--version"], ["serve", "--version"]])
  func `version prints one line`(_ arguments: [String]) throws {
    #expect(
      try CommandLineCase(arguments: arguments).text() == "reactord \(ServiceVersion.current)")
  }

  @Test func `the help of serve lists every setting with its names, values, default and meaning`()
    throws
  {
    let text = try #require(try CommandLineCase(serve: "--help").text())
    for setting in Configuration.settings {
      let value = setting.text(Configuration())
      #expect(
        text.contains(
          """
            \(setting.flag) \(setting.placeholder)
                \(setting.help)
                Accepts \(setting.expected).
                default \(value.isEmpty ? "empty" : value), environment \(setting.variable)
          """))
    }
  }

  @Test func `a missing command prints the help with the error`() throws {
    let error = try #require(CommandLineCase().error())
    #expect(error.usage.contains("reactord serve"))
  }

  @Test(arguments: [["log"], ["log", "--store", "memory"], ["quarantine"]])
  func `a missing task prints the help with the error`(arguments: [String]) throws {
    let error = try #require(CommandLineCase(arguments: arguments).error())
    #expect(error.message.contains("'reactord \(arguments[0])' needs a task"))
    #expect(error.usage.contains("reactord serve"))
    #expect(try CommandLineCase(arguments: [arguments[0], "--help"]).text() != nil)
  }

  @Test func `an unknown variable with our prefix is a warning`() throws {
    let line = CommandLineCase(
      arguments: ["serve"],
      environment: [
        "REACTORD_PORT": "tcp://10.0.0.1:80", "REACTORD_A": "1", "REACTORD_CONFIG": "f",
        "REACTORD_LISTEN": "[::1]:1", "REACTORD_STREAMS_BUFFER": "5", "PATH": "/bin",
      ], files: ["f": "{}"])
    guard case .serve(_, let warnings) = try line.parse() else {
      Issue.record("not a serve command")
      return
    }
    #expect(
      warnings == [
        "the environment variable REACTORD_A is not a setting of reactord; ignored",
        "the environment variable REACTORD_PORT is not a setting of reactord; ignored",
        "the environment variable REACTORD_STREAMS_BUFFER is not a setting of reactord; ignored; "
          + "streams.buffer is a constant now: 256",
      ])
  }

  @Test(arguments: [
    ("0.0.0.0:81", "127.0.0.1:81"), ("[::]:81", "[::1]:81"), ("[::1]:81", "[::1]:81"),
    ("localhost:81", "localhost:81"),
  ])
  func `health connects to the configured address`(
    _ listen: String, _ expected: String
  ) throws {
    let line = CommandLineCase(arguments: ["health"], environment: ["REACTORD_LISTEN": listen])
    guard case .health(let probe) = try line.parse() else {
      Issue.record("not a health command")
      return
    }
    #expect(probe.address.description == expected)
    #expect(probe.path == "/healthz")
  }

  @Test func `health connects to the given URL`() throws {
    let line = CommandLineCase(arguments: ["health", "--url", "http://localhost:81/readyz"])
    guard case .health(let probe) = try line.parse() else {
      Issue.record("not a health command")
      return
    }
    #expect(probe == HealthProbe(url: "http://localhost:81/readyz"))
  }
}
