internal import Glibc

/// Buffered standard output; write errors are reported.
package final class StandardOutput {
  private static let pieceSize = 65_536
  private var buffer: [UInt8] = []

  /// Creates an empty buffer.
  package init() {}

  /// Appends bytes, and writes the buffer once it is large.
  package func write(_ bytes: [UInt8]) throws(CommandFailure) {
    buffer += bytes
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// Writes the buffer.
  package func flush() throws(CommandFailure) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      guard count >= 0 || errno == EINTR else {
        throw CommandFailure("standard output cannot be written", exitCode: EX_IOERR)
      }
      rest = rest.dropFirst(max(0, count))
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
