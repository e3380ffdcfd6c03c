import Glibc
import Telemetry
import Testing

@testable import ReactorService

struct LogWriterTests {
  /// A pipe whose capacity is one page.
  private struct SmallPipe: ~Copyable {
    let reading: Int32
    let writing: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      (reading, writing) = (ends[0], ends[1])
      _ = fcntl(writing, 1031, 4096)  // F_SETPIPE_SZ
    }

    deinit {
      close(reading)
      close(writing)
    }

    /// Reads until a text has arrived.
    func read(until text: String) -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !String(decoding: bytes, as: UTF8.self).contains(text) {
        let count = Glibc.read(reading, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func dropped(_ writer: LogOutput) -> Int {
    var text = MetricsText()
    writer.write(to: &text)
    let line = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").last
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
  }

  @Test func `lines are written in order`() {
    let pipe = SmallPipe()
    let writer = LogOutput(format: .text, descriptor: pipe.writing)
    for number in 1...3 { writer.write(Array("line \(number)\n".utf8)) }
    writer.close(within: .seconds(300))
    #expect(pipe.read(until: "line 3\n") == "line 1\nline 2\nline 3\n")
    #expect(dropped(writer) == 0)
  }

  @Test func `lines beyond the queue are dropped, counted and reported once it drains`() throws {
    let pipe = SmallPipe()
    let writer = LogOutput(format: .text, descriptor: pipe.writing)
    let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
    // No reader: the pipe, a batch of the writer and the queue fill up.
    while dropped(writer) < 10 { writer.write(line) }
    let text = pipe.read(until: "count=")
    #expect(text.contains("log lines dropped: standard error was not read"))
    #expect(
      text.split(separator: "\n").allSatisfy { $0.utf8.count == 999 || $0.contains("dropped") })
    writer.close(within: .seconds(300))
  }

  @Test func `closing does not wait longer than its limit`() {
    let pipe = SmallPipe()
    let writer = LogOutput(format: .text, descriptor: pipe.writing)
    let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
    for _ in 0..<100 { writer.write(line) }
    writer.close(within: .milliseconds(50))
    #expect(dropped(writer) == 0)
  }
}
