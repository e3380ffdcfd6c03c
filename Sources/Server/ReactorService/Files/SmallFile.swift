internal import Glibc

/// Reads files of a bounded size.
enum SmallFile {
  /// Reads a regular file, or a character device such as `/dev/null`.
  ///
  /// A pipe or a FIFO is an error: it can be read once, but files are read again when the configuration is
  /// reloaded and when the supervisor restarts the service. The call does not wait for data.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The maximum size; a larger file is an error and not read to its end.
  /// - Returns: The bytes of the file.
  /// - Throws: A problem if the file cannot be read.
  static func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    // A blocking `open` of a FIFO would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileProblem(systemError: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileProblem(systemError: errno) }
    guard status.st_mode & S_IFMT != S_IFIFO else {
      throw FileProblem(reason: "it is a pipe, which can be read only once: name a regular file")
    }
    return try read(descriptor, limit: limit)
  }

  private static func read(_ descriptor: Int32, limit: Int) throws(FileProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        // A terminal without input.
        guard errno != EAGAIN else { throw FileProblem(reason: "it has no data") }
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
