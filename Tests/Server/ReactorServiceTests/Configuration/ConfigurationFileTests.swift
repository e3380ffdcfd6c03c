import ReactorHTTP
import ReactorHost
import ReactorService
import MicrohttpdServer
import TerminalClient
import Testing

struct ConfigurationFileTests {
  @Test func `comments, bare keys, single quotes and trailing commas are read`() throws {
    let file = """
      // A comment.
      {
        'listen': '[::1]:0', /* another */
        sessions: { create: "explicit", idle: .5, },
        limits: { body: 0x10, idle: 1e2 },
        log: { level: "trace", format: "json" },
      }
      """
    let configuration = try CommandLineCase(file: file).configuration()
    #expect(configuration.listen == ListenAddress(host: "::1", port: 0))
    #expect(configuration.host.sessionCreation == .explicit)
    #expect(configuration.host.sessionIdle == .milliseconds(500))
    #expect(configuration.server.limits.body == 16)
    #expect(configuration.server.timeouts.idle == .seconds(100))
    #expect(configuration.logLevel == .trace)
    #expect(configuration.logFormat == .json)
  }

  @Test(arguments: [
    ("{ nope: 1 }", "1:3: unknown key \"nope\""),
    (
      "{\n  streams: {\n    heartbeet: 1 } }",
      "3:5: unknown key \"streams.heartbeet\"; did you mean streams.heartbeat?"
    ),
    (
      "{ 'limits.headers': 1 }",
      "1:3: unknown key \"limits.headers\"; limits.headers is a constant now: 16 KiB"
    ),
    (
      "{ strict: { types: true } }",
      "1:3: unknown key \"strict\"; strict.types is a constant now: false; 'reactord log check' exits with 4"
    ),
    (
      "{ supervise: { watchdog: 5 } }",
      "1:16: unknown key \"supervise.watchdog\"; supervise.watchdog is a constant now: 10 s"
    ),
    ("{ b: 1, a: 1 }", "1:3: unknown key \"b\""),
    ("{ streams: 5 }", "1:3: streams: expected an object, found 5"),
    ("{ streams: null }", "1:3: streams: expected an object, found null"),
    ("{ store: 'memory', /* ü */ store: 'memory' }", "1:28: \"store\" occurs twice"),
    (
      "{ 'streams.heartbeat': 3, streams: { heartbeat: 4 } }",
      "1:38: streams.heartbeat occurs twice"
    ),
    ("{ listen 'x' }", "1:10: expected a colon, found \"'\""),
    ("{ listen: 'x\n' }", "1:11: the string has no end"),
    ("{ a: 1 /* ", "1:8: the comment has no end"),
    (
      "{ streams: { heartbeat: '15' } }",
      "1:14: streams.heartbeat: expected a number of seconds from 0.1 to 3600, found \"15\""
    ),
    (
      "{ streams: { heartbeat: NaN } }",
      "1:14: streams.heartbeat: expected a number of seconds from 0.1 to 3600, found nan"
    ),
    (
      "{ streams: { heartbeat: Infinity } }",
      "1:14: streams.heartbeat: expected a number of seconds from 0.1 to 3600, found inf"
    ),
    (
      "{ http: { workers: true } }",
      "1:11: http.workers: expected a whole number from 0 to 1024, found true"
    ),
    (
      "{ limits: { body: 99999999999999999999 } }",
      "1:13: limits.body: expected a number of bytes from 1 to 1073741824, found 1e+20"
    ),
    (
      "{ log: { level: 1 } }",
      "1:10: log.level: expected one of trace, debug, info, warning, error, found 1"
    ),
    (
      "{ store: {} }",
      "1:3: store: expected memory, sqlite:PATH or postgres://USER@HOST/DATABASE, found an object"
    ),
    ("[]", " expected an object, found an array"),
    ("", "1:1: expected a value, found the end of the file"),
    ("{", "1:2: expected a name, found the end of the file"),
    (String(repeating: "[", count: 100_000), "1:33: objects and arrays are nested too deeply"),
  ])
  func `an invalid file is an error with exit code 78 and the place`(
    _ file: String, _ reason: String
  ) throws {
    let error = try #require(CommandLineCase(file: file).error())
    #expect(error.message == "reactord.json5:\(reason)")
    #expect(error.exitCode == 78)
  }

  @Test func `a file that is not UTF-8 is an error`() {
    for bytes in [[0x7B, 0xFF, 0x3A, 0x31, 0x7D], [0x7B, 0x22, 0xC3, 0x22, 0x3A, 0x31, 0x7D]] {
      let error = #expect(throws: ConfigurationError.self) {
        try Configuration.parse(
          arguments: ["serve", "--config", "file"], environment: [:],
          readFile: { _ in bytes.map { UInt8($0) } })
      }
      #expect(error?.message == "file: the file is not UTF-8")
    }
  }
}
