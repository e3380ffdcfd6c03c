internal import Telemetry

/// Counts the warnings and errors of the log.
final class LogCounts: MetricsSource {
  private let warnings = Counter()
  private let errors = Counter()

  /// Returns a logger that counts lines and forwards them to another logger.
  func counting(_ logger: Logger) -> Logger {
    Logger(threshold: logger.threshold) { [self] level, message, fields in
      switch level {
      case .warning: warnings.add()
      case .error: errors.add()
      default: break
      }
      logger.log(level, message, fields: fields)
    }
  }

  func write(to text: inout MetricsText) {
    text.family("reactord_log_lines_total", .counter, "Warnings and errors of the log.")
    text.sample(["level": "warning"], warnings.value)
    text.sample(["level": "error"], errors.value)
  }
}
