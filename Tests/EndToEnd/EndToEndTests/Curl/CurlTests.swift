import Foundation
import Testing

/// The service as used with curl, as in the README.
@Suite(.blocking, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct CurlTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  private var address: String { "http://127.0.0.1:\(server.port)\(session.path)" }

  /// Runs curl to its end.
  ///
  /// Only a service that hangs reaches the time limit, even on a busy machine.
  private func curl(_ arguments: String...) throws -> String {
    let process = try ChildProcess(
      "/usr/bin/curl", ["--silent", "--show-error", "--max-time", "300"] + arguments)
    #expect(try process.wait() == .code(0))
    #expect(process.standardError.isEmpty, "\(process.standardError)")
    return process.standardOutput
  }

  @Test func `a POST with -d and -H is executed`() throws {
    let text = try curl(
      "-d", #"{"add":5}"#, "-H", "Content-Type: application/json", address + "/actions")
    #expect(text == #"{"value":5}"#)
  }

  @Test func `a POST with -d alone gets the media type to send`() throws {
    let text = try curl("-d", #"{"add":5}"#, address + "/actions")
    let problem = try JSON(parsing: text)
    #expect(problem["type"] == "/problems/unsupported-media-type")
    #expect(problem["detail"]?.string?.contains("application/json") == true)
  }

  @Test func `a POST with --json is executed`() throws {
    #expect(try curl("--json", #""increase""#, address + "/actions") == #"{"value":1}"#)
  }

  @Test func `a PUT, a GET and a DELETE are executed`() throws {
    #expect(try curl("-X", "PUT", address) == #"{"value":0}"#)
    #expect(try curl(address) == #"{"value":0}"#)
    #expect(try curl("-X", "DELETE", "-w", "%{http_code}", address) == "204")
    #expect(try curl("-o", "/dev/null", "-w", "%{http_code}", address) == "410")
  }

  @Test func `HEAD shows the entity tag`() throws {
    let text = try curl("--head", address)
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(text.contains("\nETag: \""))
  }

  @Test func `HTTP/1.0 is supported`() throws {
    #expect(try curl("--http1.0", address) == #"{"value":0}"#)
    let text = try curl("--http1.0", "--json", #""increase""#, address + "/actions")
    #expect(text == #"{"value":1}"#)
  }

  @Test func `a large body waits for 100-continue`() throws {
    // The maximum number of actions (1,000), padded to a large body.
    let actions = Array(repeating: #""increase""#, count: 1_000)
    let body = "[" + actions.joined(separator: "," + String(repeating: " ", count: 250)) + "]"
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("reactord-\(UUID().uuidString).json")
    try Data(body.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let text = try curl(
      "--data-binary", "@" + file.path, "-H", "Content-Type: application/json",
      "-H", "Expect: 100-continue", "-v", "--stderr", "-", address + "/actions")
    #expect(text.contains("100 Continue"))
    #expect(text.contains(#"{"value":1000}"#))
  }

  @Test func `events arrive one by one with -N`() throws {
    let process = try ChildProcess(
      "/usr/bin/curl", ["--silent", "--no-buffer", "--max-time", "300", address + "/events"])
    #expect(process.output(contains: #"data: {"value":0}"#))
    try session.post(#""increase""#)
    #expect(process.output(contains: #"data: {"value":1}"#))
    _ = try session.delete()
    #expect(process.output(contains: "event: end"))
    // The body has a regular end: curl reports an error without one.
    #expect(try process.wait() == .code(0))
  }
}
