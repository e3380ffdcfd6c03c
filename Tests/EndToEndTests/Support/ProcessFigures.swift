import Foundation

/// What a process holds at a moment.
struct ProcessFigures: Equatable {
  let descriptors: Int
  let threads: Int

  init(of process: ChildProcess) throws {
    let directory = "/proc/\(process.id)/"
    descriptors = try FileManager.default.contentsOfDirectory(atPath: directory + "fd").count
    threads = try FileManager.default.contentsOfDirectory(atPath: directory + "task").count
  }
}
