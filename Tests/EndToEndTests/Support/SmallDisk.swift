import Foundation

/// A file system of two megabytes in memory, mounted for a test.
final class SmallDisk: Sendable {
  /// Whether this machine lets the tests mount something.
  static let isPermitted = (try? SmallDisk()) != nil

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let mounting = try ChildProcess(
      "/bin/mount", ["-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", folder.path])
    guard try mounting.wait() == .code(0) else {
      throw ChildProcess.Failure(description: mounting.standardError)
    }
  }

  deinit {
    // Whoever was ended just now may have a file open still.
    _ = try? ChildProcess("/bin/umount", ["--lazy", folder.path]).wait()
  }
}
