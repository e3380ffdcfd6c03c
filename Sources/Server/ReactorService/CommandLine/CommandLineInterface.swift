internal import Crypto
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import ReactorHost
internal import SystemThreads
internal import Telemetry
internal import TerminalClient

/// The main program of a daemon that hosts reactors, from its command line to its exit code.
public enum CommandLineInterface {
  /// Executes the command line and ends the process.
  ///
  /// Call this on the main thread before any other thread exists. `serve` runs on the concurrent pool
  /// while the main thread serves the main queue, so that `MainActor` works. The process exits with 0
  /// when `serve` returns, with the code of a `ConfigurationError` that it throws, and with 1 for any
  /// other error.
  ///
  /// - Parameters:
  ///   - settings: Settings in addition to the service's own.
  ///   - serve: Runs the service until `context.termination` is requested and the service has stopped.
  ///     It also runs for `reactord log`, which needs the reactors; `context.serve` then executes that
  ///     task instead of serving.
  public static func main(
    settings: [Setting] = [],
    serve: @escaping @Sendable (ServiceContext) async throws -> Void
  ) -> Never {
    StandardDescriptors.openMissing()
    AllocatorArena.share()
    CryptoLibrary.keepUntilExit()
    do {
      switch try parse(settings) {
      case .print(let text): print(text)
      case .health(let probe): try probe.execute()
      case .watch(let command): try command.execute()
      case .changes(let command): try command.execute()
      case .send(let command): try command.execute()
      case .new(let command): print(try command.execute())
      case .quarantine(let task, let configuration): try task.execute(configuration)
      case .explain(let command, let configuration): try command.execute(configuration)
      case .log(let task, let configuration):
        var context = context(configuration, settings)
        context.task = task
        execute(context, serve)
      case .serve(let configuration, let warnings):
        let link = SupervisorLink(environment)
        if link == nil, isSupervised(configuration) { try supervise(configuration) }
        link?.followSupervisor()
        var context = context(configuration, settings)
        context.supervisor = link
        for warning in warnings { context.logger.warning(warning) }
        execute(context, serve)
      }
      exit(EXIT_SUCCESS)
    } catch {
      fail(error)
    }
  }

  private static func parse(_ settings: [Setting]) throws(ConfigurationError) -> Invocation {
    try Configuration.parse(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: environment,
      readFile: { path throws(FileProblem) in
        try SmallFile.read(path, limit: ConfigurationFile.sizeLimit)
      },
      settings: settings)
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns whether this process supervises the service.
  ///
  /// A service manager restarts the process itself.
  private static func isSupervised(_ configuration: Configuration) -> Bool {
    configuration.isSupervised && environment["NOTIFY_SOCKET"] == nil
      && environment["LISTEN_FDS"] == nil
  }

  private static func supervise(_ configuration: Configuration) throws(ConfigurationError) -> Never
  {
    let writer = LogOutput(format: configuration.logFormat)
    let logger = Logger(
      level: configuration.logLevel, format: configuration.logFormat, writer: writer)
    let context = ServiceContext(
      configuration: configuration, logger: logger, termination: Termination())
    try Supervisor(context, writer: writer).supervise()
  }

  /// Starts the log and handles signals.
  private static func context(
    _ configuration: Configuration, _ settings: [Setting]
  ) -> ServiceContext {
    let writer = LogOutput(format: configuration.logFormat)
    let logger = Logger(
      level: configuration.logLevel, format: configuration.logFormat, writer: writer)
    var context = ServiceContext(
      configuration: configuration, logger: logger, termination: Termination())
    let reload = ConfigurationReload(logger: logger) { () throws(ConfigurationError) in
      guard case .serve(let configuration, _) = try parse(settings) else { return configuration }
      return configuration
    }
    context.logWriter = writer
    context.reload = reload
    TerminationSignals.watch(context.termination) { [notifier = context.notifier] in
      notifier.reloading { reload() }
    }
    return context
  }

  /// Executes the service, or a task of the log, on the concurrent pool; the main thread serves the main queue.
  private static func execute(
    _ context: ServiceContext, _ serve: @escaping @Sendable (ServiceContext) async throws -> Void
  ) -> Never {
    Task.detached {
      do {
        try await serve(context)
        context.logWriter?.close(within: .seconds(1))
        exit(EXIT_SUCCESS)
      } catch {
        fail(error, context.logWriter)
      }
    }
    dispatchMain()
  }

  /// Reports an error on standard error and ends the process with its exit code.
  private static func fail(_ error: any Error, _ writer: LogOutput? = nil) -> Never {
    let error =
      switch error {
      case let error as ConfigurationError: error
      case let failure as CommandFailure: ConfigurationError(failure)
      default: ConfigurationError(message: "\(error)", exitCode: EXIT_FAILURE)
      }
    // The message may contain untrusted text. The usage has several lines and is not escaped.
    var bytes = Array("reactord: ".utf8)
    LogEscape.plain.write(error.message, to: &bytes, limit: LogFormat.lineLimit)
    bytes.append(contentsOf: "\n\(error.usage)".utf8)
    if let writer {
      writer.write(bytes)
      writer.close(within: .seconds(1))
    } else {
      StandardError.write(bytes)
    }
    exit(error.exitCode)
  }
}
