internal import Identity
internal import ReactorHTTP
internal import Synchronization
internal import Telemetry

/// Applies changes of the keys, tokens and rules while the service runs.
///
/// The files are read again on SIGHUP and within a second after one of them has changed. If they
/// cannot be used, the service continues with the previous ones.
final class CredentialReload: Sendable {
  private struct State {
    var files: CredentialFiles
    var signature: [UInt64]
  }

  private let api: ReactorAPI
  private let logger: Logger
  private let isUsed: Bool
  private let state: Mutex<State>

  /// Creates a reload.
  ///
  /// - Parameters:
  ///   - files: The files that the API was created with.
  ///   - signature: The signature of the files before they were read.
  ///   - api: Receives the changes.
  ///   - logger: Logs the result.
  init(_ files: CredentialFiles, signature: [UInt64], of api: ReactorAPI, logger: Logger) {
    self.api = api
    self.logger = logger
    isUsed = files.settings.isUsed
    state = Mutex(State(files: files, signature: signature))
  }

  /// Applies the settings of a configuration that was read again, and checks open streams again:
  /// their credentials, and the permissions of delegates.
  func apply(_ settings: AuthenticationSettings) throws(ConfigurationError) {
    guard settings.isUsed == isUsed else {
      throw .configuration("auth: turning authentication on or off needs a restart")
    }
    let files = CredentialFiles(
      settings: settings, reactors: state.withLock { $0.files }.reactors)
    try apply(files)
  }

  private func apply(_ files: CredentialFiles) throws(ConfigurationError) {
    // Read the signature before the files: the next check detects a change in the meantime.
    let signature = files.signature
    guard let configuration = try files.configuration() else { return api.recheckStreams() }
    api.replaceAuthentication(configuration)
    state.withLock { $0 = State(files: files, signature: signature) }
  }

  /// Applies changes of the files until the task is cancelled.
  func watch() async throws {
    guard isUsed else { return }
    while true {
      try await Task.sleep(for: .milliseconds(500))
      applyIfChanged()
    }
  }

  private func applyIfChanged() {
    let (files, known) = state.withLock { ($0.files, $0.signature) }
    let signature = files.signature
    guard signature != known else { return }
    do throws(ConfigurationError) {
      try apply(files)
      logger.info("credentials reloaded")
    } catch {
      // Report the error once for each change of the files.
      state.withLock { $0.signature = signature }
      logger.error("credentials not reloaded", ["error": error.message])
    }
  }
}
