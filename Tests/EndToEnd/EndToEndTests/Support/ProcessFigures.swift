import Foundation

/// The resources of a process at one moment.
struct ProcessFigures: Equatable {
  let descriptors: Int
  /// The number of descriptors that are sockets.
  let sockets: Int
  let threads: Int
  /// The resident memory.
  let residentBytes: Int

  init(of process: ChildProcess) throws {
    let directory = "/proc/\(process.id)/"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory + "fd")
    descriptors = names.count
    sockets =
      names.filter { name in
        // The descriptor can have been closed in the meantime.
        let target = try? FileManager.default.destinationOfSymbolicLink(
          atPath: directory + "fd/" + name)
        return target?.hasPrefix("socket:") ?? false
      }.count
    threads = try FileManager.default.contentsOfDirectory(atPath: directory + "task").count
    let status = try String(contentsOfFile: directory + "status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    residentBytes =
      (line?.split(whereSeparator: \.isWhitespace).dropFirst().first)
      .flatMap { Int($0) }.map { $0 * 1024 } ?? 0
  }
}
