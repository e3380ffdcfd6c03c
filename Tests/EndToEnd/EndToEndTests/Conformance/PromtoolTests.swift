import Foundation
import Testing

private let promtool = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../../.build/prometheus/usr/bin/promtool").standardizedFileURL.path

/// `/metrics`, checked by Prometheus' own tool.
@Suite(
  .blocking,
  .enabled(if: FileManager.default.isExecutableFile(atPath: promtool), "make test unpacks it"))
struct PromtoolTests {
  @Test(arguments: [
    ["check", "rules", "prometheus-rules.yml"], ["test", "rules", "prometheus-rules-test.yml"],
  ])
  func `promtool accepts the alert rules`(arguments: [String]) throws {
    let config = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../config").standardizedFileURL.path
    let process = try ChildProcess(
      "/bin/sh", ["-c", #"cd "$0" && exec "$@""#, config, promtool] + arguments)
    #expect(try process.wait() == .code(0), "\(process.standardOutput)\(process.standardError)")
  }

  @Test func `promtool accepts the metrics`() throws {
    let server = try ReactordProcess()
    let session = server.session(of: "counter")
    try session.post(#""increase""#)
    try session.post(#""jump""#)
    let stream = try session.events()
    _ = try stream.next()
    let folder = try TemporaryFolder()
    let metrics = try session.client.get("/metrics").text
    try metrics.write(toFile: folder["metrics"], atomically: true, encoding: .utf8)
    let process = try ChildProcess(
      "/bin/sh", ["-c", #"exec "$0" check metrics < "$1""#, promtool, folder["metrics"]])
    #expect(try process.wait() == .code(0))
    #expect(process.standardError.isEmpty, "\(process.standardError)")
  }
}
