import Foundation
import Glibc

/// The system calls of a process, counted by strace.
struct SystemCallTrace {
  /// The prefix of the traced command: strace goes into the background, and the process itself
  /// executes the command.
  let tracer: [String]

  /// Reads the table, which strace writes into a pipe after the process has ended.
  private let table: ChildProcess

  init(in folder: TemporaryFolder) throws {
    let pipe = folder["calls"]
    guard mkfifo(pipe, S_IRUSR | S_IWUSR) == 0 else {
      throw ChildProcess.Failure(description: "No pipe \(pipe): \(errno)")
    }
    tracer = [Self.strace, "-D", "-f", "-c", "-U", "calls,name", "-o", pipe]
    table = try ChildProcess("/bin/cat", [pipe])
  }

  private static let strace = "/usr/bin/strace"

  /// Whether one process may trace another, which not every container permits.
  static let isPermitted: Bool = {
    let trace = try? ChildProcess(strace, ["-o", "/dev/null", "/bin/true"])
    return (try? trace?.wait()) == .code(0)
  }()

  /// The calls that send bytes, make them durable, or read pages of a store.
  ///
  /// All other calls wait, wake another thread or poll, and their number depends on scheduling.
  private static let carrying: Set = [
    "fdatasync", "fsync", "pread64", "pwrite64", "pwritev", "sendmmsg", "sendmsg", "sendto",
    "writev",
  ]

  /// The number of these calls by name; waits for the end of the trace.
  func counts() throws -> [String: Int] {
    try all().filter { Self.carrying.contains($0.key) }
  }

  /// The number of all calls by name; waits for the end of the trace.
  func all() throws -> [String: Int] {
    try table.wait()
    var counts: [String: Int] = [:]
    for line in table.standardOutput.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[0]), words[1] != "total" else { continue }
      counts[String(words[1])] = count
    }
    return counts
  }
}
