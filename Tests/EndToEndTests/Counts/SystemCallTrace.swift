import Foundation
import Glibc

/// The system calls of a process, counted by strace.
struct SystemCallTrace {
  /// Where strace writes its table when the process ends.
  let file: String

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

  /// What is put before a command: strace goes into the background, and the process is the command's.
  var tracer: [String] { [Self.strace, "-D", "-f", "-c", "-U", "calls,name", "-o", file] }

  /// How often each call was made that carries something, once the process has ended.
  func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[0]), words[1] != "total" else { continue }
      counts[String(words[1])] = count
    }
    return counts.filter { Self.carrying.contains($0.key) }
  }
}
