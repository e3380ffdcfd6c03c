/// Hosts reactors: finds their sessions, and lets idle ones leave memory.
public final class Host: Sendable {
  /// The hosted reactors, in the order in which they were registered.
  public let reactors: [any HostedReactor]

  /// The globals, in the order in which they were registered.
  public let globals: [any SharedGlobal]

  /// What the host was told to do differently.
  public let settings: HostSettings

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
    self.globals = globals
    reactors = registrations.map { $0.host(environment) }
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
