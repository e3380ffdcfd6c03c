import Foundation
import Glibc

/// A server for one measurement: on a free loopback port, pinned to core 0 unless it is one of several.
final class ServerUnderTest {
  let port: Int
  /// The time until the server accepted connections.
  let startTime: Duration

  private let process = Process()

  /// The way in which readiness is detected.
  enum Readiness {
    /// The server prints a line with its address.
    case line
    /// The server prints nothing; its port is polled.
    case port(Int)
  }

  /// Starts a program and waits until it accepts connections.
  ///
  /// If `core` is `nil`, the program can use all cores.
  init(
    _ program: URL, _ arguments: [String], readiness: Readiness, core: Int? = 0
  ) throws {
    process.executableURL = core == nil ? program : URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = (core.map { ["-c", "\($0)", program.path] } ?? []) + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    do {
      switch readiness {
      case .line:
        port = try Self.port(of: output, program.lastPathComponent)
      case .port(let known):
        try Self.waitForConnections(to: known, process)
        port = known
      }
    } catch {
      process.terminate()
      process.waitUntilExit()
      throw error
    }
    startTime = .now - start
  }

  deinit {
    stop()
  }

  var id: Int32 { process.processIdentifier }

  /// The CPU seconds used so far.
  var processorTime: Double { Self.processorTime(of: id) }

  /// The CPU seconds that a process has used so far.
  static func processorTime(of id: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    // The program name in brackets may contain any character.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return .nan
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Sends the server a signal that ends it, and waits for its exit.
  func stop(with signal: Int32 = SIGTERM) {
    guard process.isRunning else { return }
    kill(id, signal)
    process.waitUntilExit()
  }

  /// Sends a signal.
  func signal(_ number: Int32) { kill(id, number) }

  private static func port(of output: Pipe, _ name: String) throws -> Int {
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BenchmarkError("\(name) did not start") }
      line += String(decoding: data, as: UTF8.self)
    }
    guard let start = line.range(of: "http://"),
      let url = URL(string: String(line[start.lowerBound...].prefix { !$0.isNewline })),
      let port = url.port
    else { throw BenchmarkError("\(name) did not say where it listens") }
    return port
  }

  private static func waitForConnections(to port: Int, _ process: Process) throws {
    for _ in 0..<1000 {
      guard process.isRunning else { break }
      if LoopbackPort.accepts(port) { return }
      usleep(5_000)
    }
    throw BenchmarkError("nothing listens on port \(port)")
  }
}
