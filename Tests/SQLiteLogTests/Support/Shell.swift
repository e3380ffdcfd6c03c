import Foundation

/// Another program.
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

  /// Runs statements with SQLite's own shell.
  ///
  /// - Returns: What it prints.
  @discardableResult
  static func sqlite(_ path: String, _ statements: String) throws -> String {
    let shell = try Shell(["sqlite3", path, statements])
    let text = String(
      decoding: shell.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.process.waitUntilExit()
    return text
  }

  /// Keeps everyone else from a database until ``end()``.
  static func locking(_ path: String) throws -> Shell {
    let shell = try Shell(["sqlite3", path])
    // The shell's own output would wait in its buffer; that of a command does not.
    try shell.write("PRAGMA locking_mode = EXCLUSIVE;\nBEGIN EXCLUSIVE;\n.shell echo locked\n")
    while let line = shell.line(), line != "locked" {}
    return shell
  }

  private func write(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// The next line of what it prints; `nil` at the end.
  private func line() -> String? {
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
    // Started on a thread that blocks other signals, it does too.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
