import ReactorHost
import ReactorService
import Testing

struct PrecedenceTests {
  private static let file = "{ streams: { heartbeat: 1 } }"
  private static let environment = ["REACTORD_STREAMS_HEARTBEAT": "2"]

  @Test func `without anything the defaults hold`() throws {
    let configuration = try CommandLineCase(arguments: ["serve"]).configuration()
    #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
    #expect(configuration.store == .sqlite(path: "data/reactord.db"))
    #expect(configuration.sessions.create == .implicit)
    #expect(configuration.streams.heartbeat == .seconds(15))
    #expect(configuration.limits.body == 1_048_576)
    #expect(configuration.log.level == .info)
  }

  @Test func `the file wins over the default`() throws {
    let configuration = try CommandLineCase(file: Self.file)
      .configuration()
    #expect(configuration.streams.heartbeat == .seconds(1))
    #expect(configuration.streams.buffer == 256)
  }

  @Test func `the environment wins over the file`() throws {
    let configuration = try CommandLineCase(
      file: Self.file, environment: Self.environment
    ).configuration()
    #expect(configuration.streams.heartbeat == .seconds(2))
  }

  @Test(arguments: [["--streams-heartbeat", "3"], ["--streams-heartbeat=3"]])
  func `a flag wins over the environment, in both spellings`(_ flag: [String]) throws {
    var line = CommandLineCase(
      file: Self.file, environment: Self.environment)
    line.arguments += flag
    #expect(try line.configuration().streams.heartbeat == .seconds(3))
  }

  @Test func `of a flag given twice the last wins`() throws {
    let line = CommandLineCase(serve: "--http-workers=1", "--http-workers", "2")
    #expect(try line.configuration().http.workers == 2)
  }

  @Test func `the environment names the file, and the flag another one`() throws {
    var line = CommandLineCase()
    line.arguments = ["serve"]
    line.environment = ["REACTORD_CONFIG": "a"]
    line.files = ["a": "{ http: { workers: 1 } }", "b": "{ http: { workers: 2 } }"]
    #expect(try line.configuration().http.workers == 1)
    line.arguments += ["--config=b"]
    #expect(try line.configuration().http.workers == 2)
  }

  @Test(arguments: [
    ["--config", "missing", "--version"], ["--streams-heartbeat=nonsense", "--help"],
  ])
  func `help and version answer before any value is looked at`(_ flags: [String]) throws {
    #expect(try CommandLineCase(arguments: ["serve"] + flags).text() != nil)
  }
}
