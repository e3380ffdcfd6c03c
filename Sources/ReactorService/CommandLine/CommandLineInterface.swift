internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import ReactorHost

/// The command line of a daemon that hosts reactors: everything from the start of the process to
/// its exit code, but for the service itself.
public enum CommandLineInterface {
  /// Does what the command line asks for, and ends the process.
  ///
  /// Called on the main thread before any other thread exists. `serve` runs on the concurrent pool;
  /// the main thread serves the main queue meanwhile, so that `MainActor` works. The process exits
  /// with 0 when `serve` returns, with the code of a `ConfigurationError` that it throws, and with
  /// 1 for any other error.
  ///
  /// - Parameters:
  ///   - settings: settings beside the service's own.
  ///   - serve: runs the service until `context.termination` is requested and everything has ended.
  ///     It is called for `reactord log` too, which needs to know the reactors: what serves then does
  ///     the task instead.
  public static func main(
    settings: [Setting] = [],
    serve: @escaping @Sendable (ServiceContext) async throws -> Void
  ) -> Never {
    do {
      let invocation = try Configuration.parse(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment,
        readFile: { path throws(FileProblem) in
          try SmallFile.read(path, limit: ConfigurationFile.sizeLimit)
        },
        settings: settings)
      switch invocation {
      case .print(let text):
        print(text)
        exit(EXIT_SUCCESS)
      case .health(let probe):
        check(probe)
      case .watch(let task):
        try task.run()
        exit(EXIT_SUCCESS)
      case .send(let task):
        try task.run()
        exit(EXIT_SUCCESS)
      case .log(let task, let configuration):
        run(configuration, task: task, serve: serve)
      case .serve(let configuration, let warnings):
        run(configuration, warnings: warnings, serve: serve)
      }
    } catch {
      fail(error)
    }
  }

  private static func run(
    _ configuration: Configuration, task: StoreTask? = nil, warnings: [String] = [],
    serve: @escaping @Sendable (ServiceContext) async throws -> Void
  ) -> Never {
    let logger = Logger.standardError(
      level: configuration.log.level, format: configuration.log.format)
    let termination = Termination()
    TerminationSignals.watch(termination)
    for warning in warnings { logger.warning(warning) }
    let context = ServiceContext(
      configuration: configuration, logger: logger, termination: termination, task: task)
    Task.detached {
      do {
        try await serve(context)
        exit(EXIT_SUCCESS)
      } catch let error as ConfigurationError {
        fail(error)
      } catch {
        logger.error("the service ended with an error", ["error": String(describing: error)])
        exit(EXIT_FAILURE)
      }
    }
    dispatchMain()
  }

  private static func check(_ probe: HealthProbe) -> Never {
    do {
      try probe.run()
      exit(EXIT_SUCCESS)
    } catch {
      fail(ConfigurationError(message: error.reason, exitCode: EXIT_FAILURE))
    }
  }

  private static func fail(_ error: ConfigurationError) -> Never {
    // The message may quote what anybody wrote; the usage is our own, and has several lines.
    var bytes = Array("reactord: ".utf8)
    LogEscape.plain.write(error.message, to: &bytes, limit: LogFormat.lineLimit)
    bytes.append(contentsOf: "\n\(error.usage)".utf8)
    StandardError.write(bytes)
    exit(error.exitCode)
  }
}
