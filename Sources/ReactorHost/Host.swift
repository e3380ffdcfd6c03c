/// Hosts reactors: finds their sessions, and lets idle ones leave memory.
public final class Host: Sendable {
  /// The hosted reactors, in the order in which they were registered.
  public let reactors: [any HostedReactor]

  /// The globals, in the order in which they were registered.
  public let globals: [any SharedGlobal]

  /// What the host was told to do differently.
  public let settings: HostSettings

  private let environment: HostEnvironment
  private let logger: Logger
  private let reactorsByName: [String: any HostedReactor]
  private let globalsByName: [String: any SharedGlobal]

  /// Makes a host.
  ///
  /// Of several registrations under one name the last one counts.
  public init(
    _ registrations: [ReactorRegistration], globals: [any SharedGlobal] = [],
    log: any MutationLog = MemoryLog(), settings: HostSettings = HostSettings(),
    logger: Logger = .silent
  ) {
    let environment = HostEnvironment(settings: settings, log: log, logger: logger)
    self.settings = settings
    self.environment = environment
    self.logger = logger
    self.globals = globals
    reactors = registrations.map { $0.host(environment) }
    for registration in registrations {
      log.willFold(registration.name, schema: registration.schema)
    }
    for global in globals { global.keep(in: log, logger: logger) }
    reactorsByName = Dictionary(reactors.map { ($0.name, $0) }) { $1 }
    globalsByName = Dictionary(globals.map { ($0.name, $0) }) { $1 }
  }

  /// The reactor of a name.
  public func reactor(_ name: String) -> (any HostedReactor)? {
    reactorsByName[name]
  }

  /// The global of a name.
  public func global(_ name: String) -> (any SharedGlobal)? {
    globalsByName[name]
  }

  /// Has accepted actions go on that were cut off: by the end of a process, or by a log that failed.
  ///
  /// Their sessions are brought to memory, where the actions are run again or given up.
  ///
  /// To be called at the start and from time to time; where nothing was cut off, it costs nothing. It
  /// blocks while it reads the log, and returns when each session was asked for.
  public func resumeInterruptedActions() {
    guard environment.interruptions.take() else { return }
    var last: SessionKey?
    repeat {
      do throws(LogError) {
        let page = try environment.log.unfinishedSessions(after: last, limit: 1000)
        for key in page { resumeInterruptedActions(of: key) }
        last = page.last
      } catch {
        logger.error("interrupted actions cannot be read", ["error": "\(error)"])
        return environment.interruptions.arise()
      }
    } while last != nil
  }

  private func resumeInterruptedActions(of key: SessionKey) {
    guard let reactor = reactor(key.reactor) else {
      return logger.warning(
        "interrupted actions wait for a reactor that is not hosted",
        ["reactor": key.reactor, "session": key.id])
    }
    reactor.session(key.id, for: .use) { [environment] result in
      guard case .failure(let error) = result, error != .ended else { return }
      environment.logger.error(
        "interrupted actions cannot go on yet",
        ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
      environment.interruptions.arise()
    }
  }

  /// Lets sessions that nobody uses leave memory, from time to time, until the task is cancelled.
  public func sweepIdleSessions() async throws {
    while true {
      // A session leaves at the second sweep that finds it unused, so after once to one and a half
      // times the idle time.
      try await Task.sleep(for: settings.sessionIdle / 2)
      for reactor in reactors { reactor.sweep() }
    }
  }
}
