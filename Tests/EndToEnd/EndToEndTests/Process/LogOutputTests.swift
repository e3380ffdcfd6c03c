import Foundation
import Glibc
import Testing

/// A service whose standard error is not read.
@Suite(.blocking)
struct LogOutputTests {
  let folder: TemporaryFolder
  let descriptor: Int32
  let server: ReactordProcess

  init() throws {
    folder = try TemporaryFolder()
    let fifo = folder["stderr"]
    #expect(mkfifo(fifo, 0o600) == 0)
    // Open both ends, so that neither the test nor the service waits for the other one to open the
    // FIFO.
    descriptor = open(fifo, O_RDWR | O_CLOEXEC)
    server = try ReactordProcess(
      ["--log-access", "info"], under: ["/bin/sh", "-c", "exec \"$@\" 2>'\(fifo)'", "sh"])
  }

  private func droppedLines() throws -> Int {
    let text = try server.client().get("/metrics").text
    let line = text.split(separator: "\n").first {
      $0.hasPrefix("reactord_log_lines_dropped_total ")
    }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
  }

  /// Sends requests until log lines are dropped: until the pipe and the queue are full.
  private func fillLog() throws {
    let client = server.client()
    while try droppedLines() == 0 {
      for _ in 0..<200 { #expect(try client.get("/healthz").status == 200) }
    }
  }

  @Test func `requests succeed, and dropped lines are counted and reported`() throws {
    defer { close(descriptor) }
    try fillLog()
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while !text.contains("log lines dropped") {
      let count = read(descriptor, &bytes, bytes.count)
      try #require(count > 0)
      text = String(text.suffix(100)) + String(decoding: bytes[..<count], as: UTF8.self)
    }
    server.process.signal(SIGTERM)
    #expect(try server.process.wait() == .code(0))
  }

  @Test func `SIGTERM ends the process`() throws {
    defer { close(descriptor) }
    try fillLog()
    server.process.signal(SIGTERM)
    #expect(try server.process.wait() == .code(0))
  }
}
