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

  /// Runs slowhttptest until no connection is left, for at most twenty seconds.
  private func attack(_ kind: String, _ path: String, _ more: String...) throws -> String {
    let process = try ChildProcess(
      "/usr/bin/slowhttptest",
      [kind, "-u", server.url + path, "-c", "100", "-r", "100", "-l", "20", "-p", "5", "-v", "1"]
        + more)
    // Another client is served as usual in the meantime.
    let session = server.session(of: "counter")
    for count in 1...50 {
      #expect(try session.post(#""increase""#).text == #"{"value":\#(count)}"#)
    }
    try process.wait(within: .seconds(60))
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
    let report = try attack("-X", "/v1/reactors/counter", "-n", "1", "-z", "5", "-k", "2")
    #expect(!report.contains("service available:   NO"), "\(report)")
  }
}
