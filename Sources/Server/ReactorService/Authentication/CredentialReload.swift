internal import Identity
internal import Synchronization
internal import Telemetry

/// Applies changes of the keys, tokens and rules while the service runs.
///
/// The files are read again on SIGHUP and within a second after one of them has changed. If they
/// cannot be used, the service continues with the previous ones. All methods may be called on any
/// thread; one change is applied at a time, so that none can replace a later one.
final class CredentialReload: Sendable {
  /// Applies a configuration that was read again, with its settings, or returns `nil` if no setting
  /// restricts the use of the service.
  typealias Change = @Sendable (Authenticator.Configuration?, AuthenticationSettings) -> Void

  private struct State {
    var files: CredentialFiles
    var signature: [UInt64]
    /// The configuration that was applied last, or `nil` if no setting restricts the use of the service.
    var configuration: Authenticator.Configuration?
  }

  private let change: Change
  private let logger: Logger
  private let isUsed: Bool
  private let state: Mutex<State>

  /// Creates a reload.
  ///
  /// - Parameters:
  ///   - files: The files that the service was started with.
  ///   - signature: The signature of the files before they were read.
  ///   - configuration: The configuration in the files.
  ///   - logger: Logs the result.
  ///   - change: Receives the changes.
  init(
    _ files: CredentialFiles, signature: [UInt64],
    _ configuration: Authenticator.Configuration? = nil, logger: Logger, change: @escaping Change
  ) {
    self.change = change
    self.logger = logger
    isUsed = files.settings.isUsed
    state = Mutex(State(files: files, signature: signature, configuration: configuration))
  }

  /// Applies the settings of a configuration that was read again.
  func apply(_ settings: AuthenticationSettings) throws(ConfigurationError) {
    guard settings.isUsed == isUsed else {
      throw .configuration("auth: turning authentication on or off needs a restart")
    }
    try state.withLock { state throws(ConfigurationError) in
      let files = CredentialFiles(
        settings: settings, reactors: state.files.reactors, logger: logger,
        providers: state.files.providers)
      state = try read(files)
    }
  }

  /// Applies changes of the files until the task is cancelled.
  func watch() async throws {
    guard isUsed else { return }
    while true {
      try await Task.sleep(for: .milliseconds(500))
      applyIfChanged()
    }
  }

  /// Applies a change of the files, if there is one.
  func applyIfChanged() {
    state.withLock { state in
      let signature = state.files.signature
      guard signature != state.signature else { return }
      do throws(ConfigurationError) {
        state = try read(state.files)
        logger.info("credentials reloaded")
      } catch {
        // Report the error once for each change of the files.
        state.signature = signature
        logger.error("credentials not reloaded", ["error": error.message])
      }
    }
  }

  /// Applies the current keys of the providers.
  func applyProviderKeys() {
    state.withLock { state in
      guard let configuration = state.configuration else { return }
      change(state.files.withProviders(configuration), state.files.settings)
    }
  }

  /// Reads and applies files, with the lock.
  private func read(_ files: CredentialFiles) throws(ConfigurationError) -> State {
    // Read the signature before the files: the next check detects a change in the meantime.
    let signature = files.signature
    let configuration = try files.configuration()
    change(configuration, files.settings)
    return State(files: files, signature: signature, configuration: configuration)
  }
}
