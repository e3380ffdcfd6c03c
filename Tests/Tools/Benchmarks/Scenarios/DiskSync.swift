import Foundation
import Glibc

/// The disk's share of a durable response: overwriting a page and syncing it.
enum DiskSync {
  private static let count = 500

  /// Syncs one page repeatedly.
  ///
  /// - Returns: The sorted times in milliseconds.
  static func times(in folder: URL) throws -> [Double] {
    let file = folder.appending(path: "sync")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("\(file.path) cannot be written") }
    defer {
      close(descriptor)
      try? FileManager.default.removeItem(at: file)
    }
    let page = [UInt8](repeating: 1, count: 4096)
    func write() throws {
      guard pwrite(descriptor, page, page.count, 0) == page.count, fdatasync(descriptor) == 0
      else { throw BenchmarkError("\(file.path) cannot be synced") }
    }
    // The first write allocates the block.
    try write()
    let clock = ContinuousClock()
    return try (0..<count).map { _ in
      try clock.measure { try write() } / .milliseconds(1)
    }.sorted()
  }
}
