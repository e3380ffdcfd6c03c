internal import Glibc

/// Reads files of a bounded size.
enum SmallFile {
  /// Reads a regular file, or a pipe such as `/dev/stdin`.
  ///
  /// The call blocks; use it before the service runs.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum size; a larger file is an error and not read to its end.
  ///   - timeout: How long to wait for the writer of a pipe, in milliseconds.
  /// - Returns: The bytes of the file.
  /// - Throws: A problem if the file cannot be read.
  static func read(
    _ path: String, limit: Int, timeout: Int32 = 5_000
  ) throws(FileProblem) -> [UInt8] {
    // A FIFO without a writer would block a blocking `open` forever.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileProblem(systemError: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&watched, 1, timeout) != 0 else {
        throw FileProblem(reason: "the pipe has no data")
      }
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw FileProblem(systemError: errno)
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer.prefix(count))
      guard bytes.count <= limit else {
        throw FileProblem(reason: "it is larger than \(limit) bytes")
      }
    }
  }
}

extension FileProblem {
  fileprivate init(systemError code: Int32) {
    unsafe self.init(reason: strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
  }
}
