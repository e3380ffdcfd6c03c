import Foundation
import PublicTestData
import Testing

/// A command-line tool of the Python environment.
enum PythonTool {
  /// Runs a tool to its end and returns its output.
  static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:],
    within time: Duration = .seconds(1_800)
  ) throws -> (exit: ChildProcess.Exit, output: String) {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      PublicTestData.python.appending(path: "bin").appending(path: name).path, arguments,
      // Tools store files between runs in a folder that is removed afterwards.
      environment: environment.merging(["HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    )
    let exit = try process.wait(within: time)
    return (exit, process.standardOutput + process.standardError)
  }
}
