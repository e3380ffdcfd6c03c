import Commands
import Foundation

/// The report of the load generator.
struct LoadReport: Decodable {
  let streams: Streams
  let actions: Actions
  let deliveries: Deliveries
  let receipt: Times
  let streamGrowth: [Step]
  let actionGrowth: [Step]
  let resident: Resident

  struct Streams: Decodable { let established, rejected, lost: Int }

  struct Actions: Decodable {
    let sent, completed, failed, backlog, failedStatus: Int
    let failure: String
  }

  struct Deliveries: Decodable {
    let expected, matched, missed, skipped, repeated, atEnd, stalledAtEnd: Int
  }

  struct Times: Decodable {
    let count: Int
    let p50, p99, max: Double
  }

  struct Step: Decodable { let count: Int }

  struct Resident: Decodable { let before, peak: Int }

  /// Loads a server and returns the report.
  static func of(_ server: ScriptedServer, _ arguments: String...) throws -> LoadReport {
    let (status, output) = try run(["--port", "\(server.port)", "--pause", "0"] + arguments)
    guard status == 0 else { throw LoadFailure("it ended with \(status)") }
    return try JSONDecoder().decode(LoadReport.self, from: output)
  }

  /// Runs the load generator built with these tests.
  static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = URL(fileURLWithPath: tests).deletingLastPathComponent()
      .appending(path: "StreamLoad")
    let load = try Command([program.path] + arguments)
    return (load.status, Data(load.output))
  }
}
