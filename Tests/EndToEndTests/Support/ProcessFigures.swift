import Foundation

/// What a process holds at a moment.
struct ProcessFigures: Equatable {
  let descriptors: Int
  let threads: Int
  /// The memory that it uses, without what was swapped out.
  let residentBytes: Int

  init(of process: ChildProcess) throws {
    let directory = "/proc/\(process.id)/"
    descriptors = try FileManager.default.contentsOfDirectory(atPath: directory + "fd").count
    threads = try FileManager.default.contentsOfDirectory(atPath: directory + "task").count
    let status = try String(contentsOfFile: directory + "status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    residentBytes =
      (line?.split(whereSeparator: \.isWhitespace).dropFirst().first)
      .flatMap { Int($0) }.map { $0 * 1024 } ?? 0
  }
}
