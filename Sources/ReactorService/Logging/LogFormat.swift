internal import ReactorHost

/// How a log line looks.
public enum LogFormat: String, CaseIterable, Sendable {
  /// For people: `2026-11-20T20:43:00.123Z info  session ended reactor=counter session=demo`.
  case text

  /// For machines: one JSON object a line.
  case json
}

extension LogFormat {
  /// No line is longer than this (`PIPE_BUF` on Linux): a pipe takes it in one piece, so that lines
  /// of several threads or processes never mix.
  static let lineLimit = 4_096

  /// The bytes of one line, its end included.
  ///
  /// Whatever the strings contain, the result is exactly one line, and in `json` one object of
  /// valid JSON: long strings are cut, and fields for which no room is left are dropped, which the
  /// field `truncated` then tells.
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
