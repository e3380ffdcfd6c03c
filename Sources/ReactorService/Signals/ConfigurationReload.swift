internal import Synchronization
internal import Telemetry

/// Reloads the settings that may change while the service runs.
///
/// All methods may be called on any thread. A serial queue of ``TerminationSignals`` executes one
/// reload at a time.
final class ConfigurationReload: Sendable {
  /// Applies a configuration, or throws without changing anything.
  typealias Handler = @Sendable (Configuration) throws(ConfigurationError) -> Void

  private let read: @Sendable () throws(ConfigurationError) -> Configuration
  private let logger: Logger
  private let handlers = Mutex<[Handler]>([])

  /// Creates a reload.
  ///
  /// - Parameters:
  ///   - logger: Logs the result.
  ///   - read: Reads the configuration again from the command line, the environment and the file.
  init(
    logger: Logger, read: @escaping @Sendable () throws(ConfigurationError) -> Configuration
  ) {
    self.logger = logger
    self.read = read
  }

  /// Adds a handler.
  func onReload(_ handler: @escaping Handler) {
    handlers.withLock { $0.append(handler) }
  }

  /// Reads the configuration, passes it to all handlers and sets the log level.
  ///
  /// An error is logged and leaves the log level unchanged.
  func callAsFunction() {
    do throws(ConfigurationError) {
      let configuration = try read()
      for handler in handlers.withLock({ $0 }) { try handler(configuration) }
      logger.threshold.level = configuration.logLevel
      logger.info("configuration reloaded")
    } catch {
      logger.error("configuration not reloaded", ["error": error.message])
    }
  }
}
