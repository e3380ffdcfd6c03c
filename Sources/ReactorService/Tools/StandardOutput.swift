internal import Glibc

/// Standard output for much: written in large pieces, and it matters whether it arrives.
final class StandardOutput {
  private static let pieceSize = 65_536
  private var buffer: [UInt8] = []

  func write(_ bytes: [UInt8]) throws(ConfigurationError) {
    buffer += bytes
    if buffer.count >= Self.pieceSize { try flush() }
  }

  func flush() throws(ConfigurationError) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else {
        throw ConfigurationError(message: "standard output cannot be written", exitCode: EX_IOERR)
      }
      rest = rest.dropFirst(max(0, count))
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
