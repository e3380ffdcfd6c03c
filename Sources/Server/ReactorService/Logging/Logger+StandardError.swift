internal import ReactorLog
public import Telemetry

extension Logger {
  /// Returns a logger that writes lines to standard error.
  ///
  /// The lines are written on a thread of their own. While standard error accepts no bytes, up to
  /// 256 KiB are queued and further lines are dropped; the number of dropped lines is logged later.
  public static func standardError(level: LogLevel, format: LogFormat) -> Logger {
    Logger(level: level, format: format, writer: LogOutput(format: format))
  }

  /// Creates a logger that formats lines and passes them to a writer.
  init(level: LogLevel, format: LogFormat, writer: LogOutput) {
    self.init(level: level) { level, message, fields in
      writer.write(
        format.line(time: .now, level: level.rawValue, message: message, fields: fields))
    }
  }
}
