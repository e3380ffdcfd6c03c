import Foundation

/// wrk, pinned to core 1: closed loop, one thread, keep-alive connections.
enum LoadGenerator {
  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appending(path: "post.lua")

  /// Posts the action of `post.lua` for some seconds.
  ///
  /// - Returns: Answers a second.
  /// - Throws: Where an answer was no success, or the load could not be run.
  static func post(to url: String, connections: Int, seconds: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = [
      "-c", "1", "wrk", "-t1", "-c\(connections)", "-d\(seconds)s", "-s", script.path, url,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
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
