import Foundation

/// The resident memory of this process.
enum ResidentMemory {
  /// The resident memory in bytes.
  static func bytes() throws -> Double {
    let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    guard let pages = status.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
      throw BenchmarkError("no resident memory in /proc/self/statm")
    }
    return pages * 4096
  }
}
