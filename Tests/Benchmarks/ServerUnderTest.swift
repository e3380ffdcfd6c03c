import Foundation

/// A server that runs for a measurement: on a free port of the loopback interface, pinned to core 0.
final class ServerUnderTest {
  /// Its address, as the server printed it.
  let url: String

  private let process = Process()

  /// Starts a program and waits for the line in which it says where it listens.
  init(_ program: URL, _ arguments: [String] = []) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = ["-c", "0", program.path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()

    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else {
        throw BenchmarkError("\(program.lastPathComponent) did not start")
      }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let start = line.range(of: "http://") else {
      throw BenchmarkError("\(program.lastPathComponent) did not say where it listens")
    }
    url = String(line[start.lowerBound...].prefix { !$0.isNewline })
  }

  /// Ends the server and waits for its end.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}

/// Why a measurement could not be taken.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
