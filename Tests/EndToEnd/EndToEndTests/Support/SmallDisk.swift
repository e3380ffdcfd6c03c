import Foundation
import Glibc

/// A file system of two megabytes in memory, mounted for a test.
final class SmallDisk: Sendable {
  /// Whether the tests may mount file systems.
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

  /// Fills the file system with a file of a size, and returns its path.
  ///
  /// This process writes the file while it starts no child process: a child that inherits the
  /// descriptor would occupy the space after the removal of the file.
  func take(bytes: Int) throws -> String {
    let path = folder["filler"]
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    guard posix_fallocate(descriptor, 0, bytes) == 0 else {
      throw ChildProcess.Failure(description: "There is no room for \(bytes) bytes.")
    }
    return path
  }

  deinit {
    // Unmount lazily: a process that was just killed can still have a file open.
    _ = try? ChildProcess("/bin/umount", ["--lazy", folder.path]).wait()
  }
}
