import ReactorHTTP
import ReactorHost
import ReactorService
import MicrohttpdServer
import TerminalClient
import Testing

struct PrecedenceTests {
  private static let file = "{ streams: { heartbeat: 1 } }"
  private static let environment = ["REACTORD_STREAMS_HEARTBEAT": "2"]

  @Test func `without configuration every setting has its default`() throws {
    let configuration = try CommandLineCase(arguments: ["serve"]).configuration()
    #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
    #expect(configuration.store == .sqlite(path: "data/reactord.db"))
    #expect(configuration.host.sessionCreation == .implicit)
    #expect(configuration.server.heartbeat == .seconds(15))
    #expect(configuration.server.limits.body == 1_048_576)
    #expect(configuration.logLevel == .info)
  }

  @Test func `the file overrides the default`() throws {
    let configuration = try CommandLineCase(file: Self.file)
      .configuration()
    #expect(configuration.server.heartbeat == .seconds(1))
    #expect(configuration.host.sessionIdle == .seconds(600))
  }

  @Test func `the environment overrides the file`() throws {
    let configuration = try CommandLineCase(
      file: Self.file, environment: Self.environment
    ).configuration()
    #expect(configuration.server.heartbeat == .seconds(2))
  }

  @Test(arguments: [["--streams-heartbeat", "3"], ["--streams-heartbeat=3"]])
  func `a flag overrides the environment, in both forms`(_ flag: [String]) throws {
    var line = CommandLineCase(
      file: Self.file, environment: Self.environment)
    line.arguments += flag
    #expect(try line.configuration().server.heartbeat == .seconds(3))
  }

  @Test func `the last of repeated flags is used`() throws {
    let line = CommandLineCase(serve: "--http-workers=1", "--http-workers", "2")
    #expect(try line.configuration().workers == 2)
  }

  @Test func `--config overrides the file that the environment names`() throws {
    var line = CommandLineCase()
    line.arguments = ["serve"]
    line.environment = ["REACTORD_CONFIG": "a"]
    line.files = ["a": "{ http: { workers: 1 } }", "b": "{ http: { workers: 2 } }"]
    #expect(try line.configuration().workers == 1)
    line.arguments += ["--config=b"]
    #expect(try line.configuration().workers == 2)
  }

  @Test(arguments: [
    ["--config", "missing", "--version"], ["--streams-heartbeat=nonsense", "--help"],
  ])
  func `help and version take precedence over invalid values`(_ flags: [String]) throws {
    #expect(try CommandLineCase(arguments: ["serve"] + flags).text() != nil)
  }
}
