internal import Glibc

/// The identity of a file: all symbolic and hard links to a file have the same identity.
struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let node: ino_t

  /// The identity of the file at a path, or `nil` if there is none.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of the file that a status describes.
  init(_ status: stat) {
    device = status.st_dev
    node = status.st_ino
  }
}
