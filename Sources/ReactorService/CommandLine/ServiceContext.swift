public import ReactorHost

/// What a daemon is given to run with.
public struct ServiceContext: Sendable {
  /// What it was told.
  public let configuration: Configuration

  /// Where it writes what it has to say.
  public let logger: Logger

  /// When it has to end.
  public let termination: Termination

  /// What to do with the store instead of serving.
  let task: StoreTask?

  /// Makes a context; tests and embedding programs call this, a daemon is given one.
  public init(configuration: Configuration, logger: Logger, termination: Termination) {
    self.init(
      configuration: configuration, logger: logger, termination: termination, task: nil)
  }

  init(
    configuration: Configuration, logger: Logger, termination: Termination, task: StoreTask?
  ) {
    self.configuration = configuration
    self.logger = logger
    self.termination = termination
    self.task = task
  }
}
