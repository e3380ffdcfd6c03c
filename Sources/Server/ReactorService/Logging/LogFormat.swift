internal import ReactorLog

/// The format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
  /// Text: `2026-11-20T20:43:00.123Z info  session ended reactor=counter session=demo`.
  case text

  /// One JSON object per line.
  case json
}

extension LogFormat {
  /// The maximum length of a line: `PIPE_BUF` on Linux, up to which a write to a pipe is atomic.
  static let lineLimit = 4_096

  /// Returns the bytes of one line, including its newline.
  ///
  /// Strings are escaped, so that the result is always one line, and valid JSON in `json`. Long strings
  /// are truncated. Fields beyond the maximum length are omitted, and the field `truncated` is added.
  func line(
    time: Timestamp, level: String, message: String, fields: [(String, String)]
  ) -> [UInt8] {
    var line = LogLineBuilder(self)
    line.begin(time: time, level: level, message: message)
    for (name, value) in fields {
      guard line.add(name: name, value: value) else { break }
    }
    return line.finish()
  }
}
