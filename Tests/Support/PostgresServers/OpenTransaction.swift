import Foundation
import Glibc

/// A connection of psql that stays open between statements.
public final class OpenTransaction {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var count = 0

  /// Connects.
  public init(_ server: PostgresServer) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.url(),
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // Another process can have inherited the input, whose end psql would wait for; and SIGTERM is blocked if it is
    // blocked in the thread that started psql.
    kill(process.processIdentifier, SIGKILL)
  }

  /// Executes SQL, and blocks until its end.
  public func execute(_ sql: String) throws {
    count += 1
    let mark = "done \(count)"
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n\\echo \(mark)\n".utf8))
    var text = ""
    while !text.contains(mark) {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else {
        throw PostgresServer.Failure(description: "psql ended: \(text)")
      }
      text += String(decoding: data, as: UTF8.self)
    }
  }
}
