import Foundation
import Glibc

/// The system's page cache.
enum PageCache {
  /// Evicts a file, so that the next reader reads from the disk.
  static func forget(_ file: URL) throws {
    let descriptor = open(file.path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError("\(file.path) cannot be read") }
    defer { close(descriptor) }
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }
}
