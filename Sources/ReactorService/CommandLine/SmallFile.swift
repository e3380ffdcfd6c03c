internal import Glibc

/// Reads files that are small by their nature.
enum SmallFile {
  /// All bytes of a file, which may also be a pipe.
  ///
  /// It blocks, and so belongs before the service runs. A file above `limit` bytes is refused
  /// without being read to its end.
  static func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileProblem(systemError: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
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
    self.init(reason: strerror(code).map { String(cString: $0) } ?? "error \(code)")
  }
}
