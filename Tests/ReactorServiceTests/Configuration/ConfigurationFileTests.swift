import ReactorHost
import ReactorService
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
    #expect(configuration.sessions.create == .explicit)
    #expect(configuration.sessions.idle == .milliseconds(500))
    #expect(configuration.limits.body == 16)
    #expect(configuration.limits.idle == .seconds(100))
    #expect(configuration.log.level == .trace)
    #expect(configuration.log.format == .json)
  }

  @Test(arguments: [
    ("{ nope: 1 }", "unknown key \"nope\""),
    ("{ streams: { heartbeet: 1 } }", "unknown key \"streams.heartbeet\""),
    ("{ b: 1, a: 1 }", "unknown key \"a\""),
    ("{ streams: 5 }", "streams: expected an object, found 5"),
    ("{ streams: null }", "streams: expected an object, found null"),
    (
      "{ streams: { heartbeat: '15' } }",
      "streams.heartbeat: expected a number of seconds from 0.1 to 3600, found \"15\""
    ),
    (
      "{ streams: { heartbeat: NaN } }",
      "streams.heartbeat: expected a number of seconds from 0.1 to 3600, found nan"
    ),
    (
      "{ streams: { heartbeat: Infinity } }",
      "streams.heartbeat: expected a number of seconds from 0.1 to 3600, found inf"
    ),
    (
      "{ streams: { buffer: true } }",
      "streams.buffer: expected a whole number from 1 to 65536, found true"
    ),
    (
      "{ limits: { body: 99999999999999999999 } }",
      "limits.body: expected a number of bytes from 1 to 1073741824, found 1e+20"
    ),
    (
      "{ log: { level: 1 } }",
      "log.level: expected one of trace, debug, info, warning, error, found 1"
    ),
    ("{ store: {} }", "store: expected memory, sqlite:PATH or nats:URL, found an object"),
    ("[]", "expected an object, found an array"),
    ("", "this is not JSON5; 'reactord defaults' prints a file that is"),
    ("{", "this is not JSON5; 'reactord defaults' prints a file that is"),
    (
      String(repeating: "[", count: 100_000),
      "this is not JSON5; 'reactord defaults' prints a file that is"
    ),
  ])
  func `a wrong file ends with 78 and says where`(_ file: String, _ reason: String) throws {
    let refusal = try #require(CommandLineCase(file: file).refusal())
    #expect(refusal.message == "reactord.json5: \(reason)")
    #expect(refusal.exitCode == 78)
  }

  @Test func `a file that is not UTF-8 is refused`() {
    for bytes in [[0x7B, 0xFF, 0x3A, 0x31, 0x7D], [0x7B, 0x22, 0xC3, 0x22, 0x3A, 0x31, 0x7D]] {
      let refusal = #expect(throws: ConfigurationError.self) {
        try Configuration.parse(
          arguments: ["serve", "--config", "file"], environment: [:],
          readFile: { _ in bytes.map { UInt8($0) } })
      }
      #expect(
        refusal?.message == "file: this is not JSON5; 'reactord defaults' prints a file that is")
    }
  }
}
