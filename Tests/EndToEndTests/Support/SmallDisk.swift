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

  /// Fills space with a file, whose path is returned.
  ///
  /// Written by this process while no other is started, which would inherit the descriptor and hold the
  /// space after the file is removed.
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
    // A process that was just killed may have a file open still.
    _ = try? ChildProcess("/bin/umount", ["--lazy", folder.path]).wait()
  }
}
