import Foundation

/// wrk with one thread per node: closed loop, keep-alive connections, actions of sessions at random.
///
/// All sessions are used through all nodes, or each through one node, as by clients that keep their connection.
struct ClusterPostLoad {
  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appending(path: "cluster.lua")

  let ports: [Int]
  let sessions: Int
  /// The total number of connections to the nodes.
  var connections = 64
  /// Whether each session is used through one node.
  var keepsNodes = false
  /// The prefix of the session ids.
  var prefix = "posted"

  struct Outcome {
    /// Responses per second.
    let rate: Double
    /// The latency in milliseconds.
    let p50: Double
    let p99: Double
  }

  /// Posts after a warm-up.
  ///
  /// - Throws: If a response is not successful or wrk fails.
  func run(seconds: Double) throws -> Outcome {
    try warmUp()
    return try measure(seconds: seconds)
  }

  /// Posts without a warm-up.
  func measure(seconds: Double) throws -> Outcome {
    try Self.outcome(of: output(seconds: max(2, seconds.rounded())))
  }

  /// Posts for some seconds, so that the nodes load all sessions.
  func warmUp(seconds: Double = 2) throws { _ = try output(seconds: seconds) }

  private func output(seconds: Double) throws -> String {
    // Round up, so that each thread has the same number of connections.
    let count = (connections + ports.count - 1) / ports.count * ports.count
    let text = try Pinned.output(
      of: try Programs.find("wrk"),
      [
        "-t\(ports.count)", "-c\(count)", "-d\(Int(seconds))s", "--latency", "--timeout", "60s",
        "-s", Self.script.path, "http://127.0.0.1:\(ports[0])", "--", "\(sessions)",
        keepsNodes ? "\(ports.count)" : "1", prefix,
      ] + ports.map { "\($0)" }, core: nil)
    guard !text.contains("Non-2xx"), !text.contains("Socket errors") else {
      throw BenchmarkError("not every request succeeded:\n\(text)")
    }
    return text
  }

  /// Reads the report of wrk.
  static func outcome(of text: String) throws -> Outcome {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { values[String(words[0])] = String(words[1]) }
    }
    guard let rate = values["Requests/sec:"].flatMap({ Double($0) }),
      let p50 = values["50%"].flatMap({ milliseconds($0) }),
      let p99 = values["99%"].flatMap({ milliseconds($0) })
    else { throw BenchmarkError("wrk reported no rate or latency:\n\(text)") }
    return Outcome(rate: rate, p50: p50, p99: p99)
  }

  private static func milliseconds(_ text: String) -> Double? {
    for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1_000)] where text.hasSuffix(unit) {
      return Double(text.dropLast(unit.count)).map { $0 * factor }
    }
    return nil
  }
}
