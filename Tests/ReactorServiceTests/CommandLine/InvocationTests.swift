import Testing

@testable import ReactorService

struct InvocationTests {
  @Test(arguments: [["--help"], ["-h"], ["health", "--help"]])
  func `help names the commands`(_ arguments: [String]) throws {
    let text = try #require(try CommandLineCase(arguments: arguments).text())
    for command in ["serve", "health", "defaults", "--version"] { #expect(text.contains(command)) }
  }

  @Test(arguments: [["--version"], ["serve", "--version"]])
  func `version is one line`(_ arguments: [String]) throws {
    #expect(
      try CommandLineCase(arguments: arguments).text() == "reactord \(ServiceVersion.current)")
  }

  @Test func `the help of serve has every setting with its names, default and meaning`() throws {
    let text = try #require(try CommandLineCase(serve: "--help").text())
    for setting in Configuration.settings {
      #expect(
        text.contains(
          """
            \(setting.flag) \(setting.placeholder)
                \(setting.help)
                default \(setting.text(Configuration())), environment \(setting.variable)
          """))
    }
  }

  @Test func `without a command the help comes with the error`() throws {
    let refusal = try #require(CommandLineCase().refusal())
    #expect(refusal.usage.contains("reactord serve"))
  }

  @Test func `an unknown variable of ours is a warning, and one of others is not`() throws {
    let line = CommandLineCase(
      arguments: ["serve"],
      environment: [
        "REACTORD_PORT": "tcp://10.0.0.1:80", "REACTORD_A": "1", "REACTORD_CONFIG": "f",
        "REACTORD_LISTEN": "[::1]:1", "PATH": "/bin",
      ], files: ["f": "{}"])
    guard case .serve(_, let warnings) = try line.parse() else {
      Issue.record("this serves")
      return
    }
    #expect(
      warnings == [
        "the environment variable REACTORD_A is no setting of reactord and is ignored",
        "the environment variable REACTORD_PORT is no setting of reactord and is ignored",
      ])
  }

  @Test(arguments: [
    ("0.0.0.0:81", "127.0.0.1:81"), ("[::]:81", "[::1]:81"), ("[::1]:81", "[::1]:81"),
    ("localhost:81", "localhost:81"),
  ])
  func `health asks where the configuration makes the daemon listen`(
    _ listen: String, _ asked: String
  ) throws {
    let line = CommandLineCase(arguments: ["health"], environment: ["REACTORD_LISTEN": listen])
    guard case .health(let probe) = try line.parse() else {
      Issue.record("this asks")
      return
    }
    #expect(probe.address.description == asked)
    #expect(probe.path == "/healthz")
  }

  @Test func `health asks the URL that it is given`() throws {
    let line = CommandLineCase(arguments: ["health", "--url", "http://localhost:81/readyz"])
    guard case .health(let probe) = try line.parse() else {
      Issue.record("this asks")
      return
    }
    #expect(probe == HealthProbe(url: "http://localhost:81/readyz"))
  }
}
