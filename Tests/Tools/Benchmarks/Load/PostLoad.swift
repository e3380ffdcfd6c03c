import Foundation

/// wrk pinned to core 1: closed loop, one thread, keep-alive connections.
enum PostLoad {
  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appending(path: "post.lua")

  /// Posts the action of `post.lua` after a second of warm-up.
  ///
  /// - Throws: If a response is not successful or wrk fails.
  static func run(
    _ contestant: Contestant, _ server: ServerUnderTest, connections: Int, seconds: Double
  ) throws -> Outcome {
    let url = "http://127.0.0.1:\(server.port)\(contestant.actions(of: "posted"))"
    _ = try run(url, contestant.token, connections, seconds: 1)
    let seconds = max(1, seconds.rounded())
    let before = server.processorTime
    let rate = try run(url, contestant.token, connections, seconds: seconds)
    return Outcome(
      rate: rate, processorTime: (server.processorTime - before) / (rate * seconds))
  }

  struct Outcome {
    /// Responses per second.
    let rate: Double
    /// The server's CPU seconds per response, which other load on the machine disturbs less than
    /// the rate.
    let processorTime: Double

    /// Returns the mean of two outcomes.
    static func mean(_ one: Outcome, _ other: Outcome) -> Outcome {
      Outcome(
        rate: (one.rate + other.rate) / 2,
        processorTime: (one.processorTime + other.processorTime) / 2)
    }
  }

  private static func run(
    _ url: String, _ token: String?, _ connections: Int, seconds: Double
  ) throws -> Double {
    let credential = token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
    let text = try Pinned.output(
      of: try Programs.find("wrk"),
      [
        "-t1", "-c\(connections)", "-d\(Int(seconds))s", "-s", script.path,
      ] + credential + [url])
    guard !text.contains("Non-2xx"), !text.contains("Socket errors") else {
      throw BenchmarkError("not every request succeeded:\n\(text)")
    }
    for line in text.split(separator: "\n") where line.hasPrefix("Requests/sec:") {
      if let rate = Double(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) {
        return rate
      }
    }
    throw BenchmarkError("wrk did not say how many requests it sent:\n\(text)")
  }
}
