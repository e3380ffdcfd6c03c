internal import Glibc

/// The file of a Unix-domain socket that this process has bound.
struct SocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let number: ino_t

  /// Remembers which file it is; `nil` when there is none.
  init?(_ path: String) {
    guard let status = Self.status(of: path) else { return nil }
    self.path = path
    device = status.st_dev
    number = status.st_ino
  }

  /// Removes it, unless another one has taken its place.
  func remove() {
    guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == number
    else { return }
    _ = unsafe unlink(path)
  }

  /// Removes the socket that an earlier process left behind.
  ///
  /// Throws where somebody still listens on it, or where it is no socket: that is not ours.
  static func removeStale(_ path: String, _ address: SocketAddress) throws(ServerError) {
    guard let status = Self.status(of: path) else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ServerError(.cannotBind, "There is a file that is no socket at \(address).")
    }
    let probe = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else {
      throw ServerError(.noResources, "The system gave no socket for \(address).")
    }
    defer { close(probe) }
    // A full backlog (EAGAIN) is somebody who listens, too.
    guard !address.connect(probe), errno == ECONNREFUSED else {
      throw ServerError(.addressInUse, "The address \(address) is already in use.")
    }
    _ = unsafe unlink(path)
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
