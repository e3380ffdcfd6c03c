import Foundation

/// The release daemon on a free loopback port, with its default limits and a durable store.
final class Daemon {
  let port: UInt16
  private let process = Process()
  private let folder: URL

  /// Starts it, with flags beside those of every kind.
  init(program: URL, flags: [String] = []) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = program
    process.arguments =
      [
        "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder.path)/log.db",
        "--log-level", "error", "--supervise", "false",
      ] + flags
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw HostileError("the daemon did not start") }
      line += String(decoding: data, as: UTF8.self)
    }
    guard
      let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix(while: \.isNumber)) })
    else { throw HostileError("the daemon did not print its address: \(line)") }
    self.port = port
  }

  var isRunning: Bool { process.isRunning }

  /// The resident memory in bytes.
  var memory: Int {
    let text = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
    return (text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }

  /// The CPU time that it has used, in seconds.
  var cpuTime: Double {
    let text = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // The name in parentheses may contain spaces; user and system time are the fields 14 and 15.
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Ends the daemon and deletes its store.
  func stop() {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }
}

/// Why the campaign cannot be run.
struct HostileError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
