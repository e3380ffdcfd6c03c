internal import FoundationEssentials
internal import ReactorHost
internal import Shares
internal import SystemThreads
public import Telemetry

/// The configuration, logger and termination of a daemon.
public struct ServiceContext: Sendable {
  /// The configuration.
  public let configuration: Configuration

  /// The logger of the daemon.
  public let logger: Logger

  /// Signals the end of the daemon.
  public let termination: Termination

  /// Notifies the service manager.
  let notifier = ServiceNotifier(ProcessInfo.processInfo.environment)

  /// The maintenance task to execute instead of serving.
  var task: StoreTask?

  /// The link to the supervisor, if the process has one.
  var supervisor: SupervisorLink?

  /// The writer of the log, if the process has one of its own.
  var logWriter: LogOutput?

  /// Calls handlers when the configuration is reloaded.
  var reload: ConfigurationReload?

  /// Creates a context, for tests and for programs that embed the service.
  public init(configuration: Configuration, logger: Logger, termination: Termination) {
    var configuration = configuration
    let memory = configuration.memory == 0 ? MemoryLimit.bytes : configuration.memory
    configuration.host.ledger = Ledger(memory: memory / 4)
    self.configuration = configuration
    self.logger = logger
    self.termination = termination
  }
}
