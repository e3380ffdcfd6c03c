internal import ReactorHost

/// Counts the lines of the log that tell of something wrong.
final class LogCounts: MetricsSource {
  private let warnings = Counter()
  private let errors = Counter()

  /// A logger that does as another one, and counts.
  func counting(_ logger: Logger) -> Logger {
    Logger(level: logger.level) { [self] level, message, fields in
      switch level {
      case .warning: warnings.add()
      case .error: errors.add()
      default: break
      }
      logger.log(level, message, fields: fields)
    }
  }

  func write(to text: inout MetricsText) {
    text.family("reactord_log_lines_total", .counter, "Lines of the log that tell what is wrong.")
    text.sample(["level": "warning"], warnings.value)
    text.sample(["level": "error"], errors.value)
  }
}
