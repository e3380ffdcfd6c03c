internal import Glibc

/// The lines of standard input.
package final class InputLines {
  /// The maximum length of a line, in bytes: more than the largest value that a store accepts.
  private static let lineLimit = 268_435_456

  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread: ArraySlice<UInt8> = []
  private var isAtEnd = false

  /// Creates a reader at the current position.
  package init() {}

  /// Returns the next line without its newline, or `nil` after the last one.
  package func next() throws(CommandFailure) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        line += unread[..<end]
        unread = unread[(end + 1)...]
        return line
      }
      line += unread
      unread = []
      if isAtEnd { return line.isEmpty ? nil : line }
      guard line.count <= Self.lineLimit else {
        throw CommandFailure("a line is too long", exitCode: EX_DATAERR)
      }
      try fill()
    }
  }

  private func fill() throws(CommandFailure) {
    let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
    guard count >= 0 || errno == EINTR else {
      throw CommandFailure("standard input cannot be read", exitCode: EX_NOINPUT)
    }
    isAtEnd = count == 0
    unread = buffer[..<max(0, count)]
  }
}
