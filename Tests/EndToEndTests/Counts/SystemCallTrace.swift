import Foundation
import Glibc

/// The system calls of a process, counted by strace.
struct SystemCallTrace {
  /// What is put before a command: strace goes into the background, and the process is the command's.
  let tracer: [String]

  /// Reads the table, which strace writes into a pipe only after the process has ended.
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

  /// Whether this machine lets one process trace another: not every container does.
  static let isPermitted: Bool = {
    let trace = try? ChildProcess(strace, ["-o", "/dev/null", "/bin/true"])
    return (try? trace?.wait()) == .code(0)
  }()

  /// Calls that send bytes or make them durable.
  ///
  /// By the others a thread waits, wakes another, or looks whether there is something: how often
  /// depends on who was faster.
  private static let carrying: Set = [
    "fdatasync", "fsync", "pwrite64", "pwritev", "sendmmsg", "sendmsg", "sendto", "writev",
  ]

  /// How often each call was made that carries something; waits for the end of the trace.
  func counts() throws -> [String: Int] {
    try all().filter { Self.carrying.contains($0.key) }
  }

  /// How often each call was made; waits for the end of the trace.
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
