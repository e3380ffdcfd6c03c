import Foundation
import Glibc

/// What the system keeps of files in memory.
enum PageCache {
  /// Makes the next reader of a file read from the disk.
  static func forget(_ file: URL) throws {
    let descriptor = open(file.path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError("\(file.path) cannot be read") }
    defer { close(descriptor) }
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }
}
