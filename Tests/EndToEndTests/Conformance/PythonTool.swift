import Foundation
import PublicTestData
import Testing

/// A program of the Python environment, run as a person would run it.
enum PythonTool {
  /// Runs a tool to its end and gives what it said.
  static func run(
    _ name: String, _ arguments: [String], within time: Duration = .seconds(300)
  ) throws -> (exit: ChildProcess.Exit, output: String) {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      PublicTestData.python.appending(path: "bin").appending(path: name).path, arguments,
      // What tools keep between runs, they keep in a folder that is gone afterwards.
      environment: ["HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1"])
    let exit = try process.wait(within: time)
    return (exit, process.standardOutput + process.standardError)
  }
}
