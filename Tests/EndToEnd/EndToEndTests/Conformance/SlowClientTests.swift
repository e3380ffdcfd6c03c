import Foundation
import Testing

/// One hundred simultaneous slow clients, created by slowhttptest.
///
/// The tests run in sequence: each must show that other clients are served, which needs the whole
/// machine.
@Suite(
  .blocking, .serialized,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/slowhttptest")))
struct SlowClientTests {
  let server: ReactordProcess

  init() throws {
    server = try ReactordProcess(
      "--limits-idle", "2", "--limits-head", "2", "--limits-transfer", "2")
  }

  /// Runs slowhttptest until no connection is left, or for a time in seconds.
  private func attack(
    _ kind: String, _ path: String, atMost seconds: Int = 300, _ more: String...
  ) throws -> String {
    let process = try ChildProcess(
      "/usr/bin/slowhttptest",
      [
        kind, "-u", server.url + path, "-c", "100", "-r", "100", "-l", "\(seconds)", "-p", "120",
        "-v", "1",
      ] + more)
    // Another client is served in the meantime. On a busy machine, its connection can be closed
    // before its next request arrives, or get a 408; it then sends the request again.
    let path = server.session(of: "counter").path
    for count in 1...50 {
      var state: String?
      _ = eventually {
        let client = SessionClient(server.client(), path)
        let response = try? client.post(#""increase""#, ["Idempotency-Key": "\(count)"])
        state = response?.text
        return response.map { $0.status != 408 } ?? false
      }
      #expect(state == #"{"value":\#(count)}"#)
    }
    try process.wait(within: .seconds(1200))
    return process.standardOutput
  }

  @Test func `request heads that never end are closed`() throws {
    let report = try attack("-H", "/v1/reactors", "-i", "1", "-x", "8")
    #expect(report.contains("No open connections left"), "\(report)")
  }

  @Test func `bodies that never end are closed`() throws {
    let report = try attack(
      "-B", "/v1/reactors/counter/sessions/slow/actions", "-i", "1", "-x", "8", "-s", "4096",
      "-f", "application/json", "-t", "POST")
    #expect(report.contains("No open connections left"), "\(report)")
  }

  @Test func `responses that are read byte by byte delay no other client`() throws {
    let report = try attack(
      "-X", "/v1/reactors/counter", atMost: 20, "-n", "1", "-z", "5", "-k", "2")
    #expect(!report.contains("service available:   NO"), "\(report)")
  }
}
