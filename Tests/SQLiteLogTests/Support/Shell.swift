import Foundation

/// A child process.
final class Shell {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  init(_ command: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Runs a command to its end.
  ///
  /// Not as a `Process`, which detects the end by a descriptor that other processes, started at the
  /// same time, may inherit and hold open.
  ///
  /// - Returns: Its exit code; 128 and more for a signal, -1 if it cannot be started.
  @discardableResult
  static func run(_ command: String...) throws -> Int32 {
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    guard posix_spawnp(&child, command[0], nil, nil, &arguments, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// Executes statements with the shell of SQLite.
  ///
  /// - Returns: Its output.
  @discardableResult
  static func sqlite(_ path: String, _ statements: String) throws -> String {
    let shell = try Shell(["sqlite3", path, statements])
    let text = String(
      decoding: shell.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.process.waitUntilExit()
    return text
  }

  /// Locks a database until ``end()``.
  static func locking(_ path: String) throws -> Shell {
    let shell = try Shell(["sqlite3", path])
    // The shell buffers its own output, but not that of a command.
    try shell.write("PRAGMA locking_mode = EXCLUSIVE;\nBEGIN EXCLUSIVE;\n.shell echo locked\n")
    while let line = shell.line(), line != "locked" {}
    return shell
  }

  private func write(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// The next line of its output; `nil` at the end.
  func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return nil }
      unread += data
    }
  }

  func end() {
    // It inherits the signal mask of the thread that started it.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
