import Foundation

/// Runs load generators pinned to core 1, unless the servers use all cores.
enum Pinned {
  /// Runs a program to completion.
  ///
  /// - Returns: Its output.
  static func output(
    of program: URL, _ arguments: [String], core: Int? = 1
  ) throws -> String {
    let (process, output) = try start(program, arguments, core: core)
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError(
        "\(program.lastPathComponent) failed: \(arguments.joined(separator: " "))\n\(text)")
    }
    return text
  }

  /// Starts a program whose standard input is a pipe, or empty.
  static func start(
    _ program: URL, _ arguments: [String], input: Pipe? = nil, core: Int? = 1
  ) throws -> (Process, Pipe) {
    let process = Process()
    process.executableURL = core == nil ? program : URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = (core.map { ["-c", "\($0)", program.path] } ?? []) + arguments
    let output = Pipe()
    process.standardOutput = output
    if let input {
      process.standardInput = input
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    return (process, output)
  }
}
