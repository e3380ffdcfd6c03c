internal import Glibc
public import ReactorHost

extension Logger {
  /// A logger that writes lines to standard error.
  ///
  /// Each line is one `write` of at most `PIPE_BUF` bytes, so that lines are never mixed, without a
  /// lock. A line that standard error does not take is lost: nothing waits for a log but the call
  /// itself.
  public static func standardError(level: LogLevel, format: LogFormat) -> Logger {
    Logger(level: level) { level, message, fields in
      let line = format.line(
        time: .now, level: level.rawValue, message: message, fields: fields)
      StandardError.write(line)
    }
  }
}

/// The file descriptor 2.
enum StandardError {
  /// Writes bytes with one system call; again only when a signal came between, or for the rest of a
  /// line that was taken in part.
  static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}
