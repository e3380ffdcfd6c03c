internal import Glibc

/// The file of a Unix-domain socket that this process has bound.
struct SocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let number: ino_t

  /// Records the identity of the file, or returns `nil` if there is none.
  init?(_ path: String) {
    guard let status = Self.status(of: path) else { return nil }
    self.path = path
    device = status.st_dev
    number = status.st_ino
  }

  /// Removes the file, unless another one has replaced it.
  func remove() {
    guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == number
    else { return }
    _ = unsafe unlink(path)
  }

  /// Removes a socket file that an earlier process left.
  ///
  /// - Throws: If the socket has a listener, or the file is not a socket.
  static func removeStale(_ path: String, _ address: SocketAddress) throws(ServerError) {
    guard let status = Self.status(of: path) else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ServerError(.cannotBind, "The file at \(address) is not a socket.")
    }
    let probe = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else {
      throw ServerError(.noResources, "No socket is available for \(address).")
    }
    defer { close(probe) }
    // Only ECONNREFUSED shows that no process listens; EAGAIN is the full backlog of a listener.
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
