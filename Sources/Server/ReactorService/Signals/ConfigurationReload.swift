internal import Synchronization
internal import Telemetry

/// Reloads the settings that may change while the service runs.
///
/// All methods may be called on any thread; one reload is executed at a time.
final class ConfigurationReload: Sendable {
  /// Applies a configuration, or throws without changing anything; must not call the reload.
  typealias Handler = @Sendable (Configuration) throws(ConfigurationError) -> Void

  private let read: @Sendable () throws(ConfigurationError) -> Configuration
  private let logger: Logger
  private let state = Mutex(State())

  private struct State {
    var handlers: [Handler] = []

    /// The configuration of the last reload, or `nil` before the first one.
    var latest: Configuration?
  }

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

  /// Adds a handler, and passes it the configuration of a reload before this call, if there was one.
  ///
  /// An error of the handler is logged.
  func onReload(_ handler: @escaping Handler) {
    state.withLock { state in
      state.handlers.append(handler)
      guard let latest = state.latest else { return }
      report { () throws(ConfigurationError) in try handler(latest) }
    }
  }

  /// Reads the configuration, passes it to all handlers and sets the log level.
  ///
  /// An error is logged and leaves the log level unchanged.
  func callAsFunction() {
    state.withLock { state in
      report { () throws(ConfigurationError) in
        let configuration = try read()
        for handler in state.handlers { try handler(configuration) }
        state.latest = configuration
        logger.threshold.level = configuration.logLevel
      }
    }
  }

  private func report(_ reload: () throws(ConfigurationError) -> Void) {
    do throws(ConfigurationError) {
      try reload()
      logger.info("configuration reloaded")
    } catch {
      logger.error("configuration not reloaded", ["error": error.message])
    }
  }
}
