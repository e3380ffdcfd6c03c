public import ReactorLog
package import Shares
internal import Synchronization
internal import Telemetry

/// Hosts reactors: finds their sessions, and evicts idle ones from memory.
public final class Host: Sendable {
  /// The hosted reactors, in the order of their registration.
  public let reactors: [any HostedReactor]

  /// The globals, in the order of their registration.
  public let globals: [any SharedGlobal]

  /// Values of the service that the store has like globals, and clients and sessions do not see.
  package let hidden: [any SharedGlobal]

  /// The settings.
  public let settings: HostSettings

  let environment: HostEnvironment
  /// The reactors in this process, without the router.
  let local: [ReactorRuntime]
  let logger: Logger
  private let reactorsByName: [String: any HostedReactor]
  private let globalsByName: [String: any SharedGlobal]
  private let follower: GlobalFollower
  private let shortageHandler = Mutex<(@Sendable (Account) -> Void)?>(nil)

  /// Creates a host.
  ///
  /// If several registrations have the same name, the last one counts.
  public convenience init(
    _ registrations: [ReactorRegistration], globals: [any SharedGlobal] = [],
    log: any MutationLog = MemoryLog(), settings: HostSettings = HostSettings(),
    logger: Logger = .silent
  ) {
    self.init(
      registrations, globals: globals, log: log, settings: settings, logger: logger, router: nil)
  }

  /// Creates a host; with a router, several processes share its sessions.
  package init(
    _ registrations: [ReactorRegistration], globals: [any SharedGlobal] = [],
    hidden: [any SharedGlobal] = [], log: any MutationLog,
    settings: HostSettings = HostSettings(), logger: Logger = .silent,
    router: (any SessionRouter)?
  ) {
    let environment = HostEnvironment(
      settings: settings, log: log, logger: logger, router: router)
    self.settings = settings
    self.environment = environment
    self.logger = logger
    self.globals = globals
    self.hidden = hidden
    let local = registrations.map { $0.host(in: environment) }
    self.local = local
    follower = GlobalFollower(local)
    reactors = local.map { router?.route($0) ?? $0 }
    for registration in registrations {
      log.willFold(registration.name, schema: registration.schema)
    }
    for global in globals + hidden {
      global.keep(in: log, logger: logger)
      if let router { (global as? any RefreshableGlobal)?.share(through: router) }
    }
    reactorsByName = Dictionary(reactors.map { ($0.name, $0) }) { $1 }
    globalsByName = Dictionary(globals.map { ($0.name, $0) }) { $1 }
    environment.sessions.set(self)
    for global in globals { _ = global.observe(follower) }
  }

  deinit {
    for global in globals { global.stopObserving(follower) }
  }

  /// The sessions that actions are about to create.
  package var creations: CreationPlaces { environment.sessions.creations }

  /// Describes the first typed reference of a reactor to one that is not hosted, or is of another
  /// type, or returns `nil` if there is none.
  ///
  /// Creates the instance of each reactor for the catalogue. A reactor with required parameters and
  /// no example is not checked.
  public func firstMissingReference() -> String? {
    for reactor in reactors { _ = reactor.description }
    return environment.sessions.firstMismatch(in: self)
  }

  /// Ends all sessions in memory as the end of the process would: their effects, and the changes that
  /// the log does not have, are lost.
  ///
  /// For tests: the host must not be used any more.
  package func crash() {
    environment.timers.stop()
    for reactor in local { reactor.interruptSessions() }
  }

  /// Returns the reactor with a name, or `nil` if none is hosted under it.
  public func reactor(_ name: String) -> (any HostedReactor)? {
    reactorsByName[name]
  }

  /// Returns the global with a name, or `nil` if none is hosted under it.
  public func global(_ name: String) -> (any SharedGlobal)? {
    globalsByName[name]
  }

  /// The error with which writes to the log fail at present, or `nil` while they succeed.
  ///
  /// Costs at most two system calls.
  public var logFailure: LogError? { environment.log.failure }

  /// Whether loading a session reads from disk, so that a request worker must not do it.
  public var readsFromDisk: Bool { environment.log.readsFromDisk }

  /// Executes work that would block another thread, in turn by client.
  package var background: WorkerPool { environment.background }

  /// Reads whether the log has a session, ended or not.
  ///
  /// Blocks on the disk if ``readsFromDisk``.
  package func hasRecord(of key: SessionKey) throws(LogError) -> Bool {
    try environment.log.session(key).record() != .none
  }

  /// Recovers accepted actions that were interrupted by the end of a process or by a failed log.
  ///
  /// Loads their sessions, which restart the actions or abandon them, on the background threads; returns when all
  /// sessions were loaded.
  ///
  /// Call it at the start and periodically; without interrupted actions it costs nothing.
  public func resumeInterruptedActions() async {
    guard environment.recovery.lower() else { return }
    await background.run(for: .none) { [self] in
      do throws(LogError) {
        var last: SessionKey?
        repeat {
          // One page is loaded at a time.
          let keys = try environment.log.unfinishedSessions(
            after: last, limit: Self.recoveryPage)
          last = keys.last
          await withDiscardingTaskGroup { group in
            for key in keys { group.addTask { await self.resumeInterruptedActions(of: key) } }
          }
        } while last != nil
      } catch {
        logger.error("interrupted actions cannot be read", ["error": "\(error)"])
        environment.recovery.raise()
      }
    }
  }

  /// The maximum number of sessions with interrupted actions that are loaded at the same time.
  private static let recoveryPage = 256

  /// Recovers the accepted actions of sessions that this process owns from now on, and fires their
  /// timers.
  package func ownershipDidChange() {
    environment.recovery.raise()
    environment.timers.readAgain()
  }

  private func resumeInterruptedActions(of key: SessionKey) async {
    guard environment.router?.owns(key) ?? true else { return }
    guard let reactor = reactor(key.reactor) else {
      return logger.warning(
        "interrupted actions wait for a reactor that is not hosted",
        ["reactor": key.reactor, "session": key.id])
    }
    do throws(SessionError) {
      _ = try await reactor.session(key.id, for: .use)
    } catch .ended, .log(.unreadable) {
      // Another release resumes the actions of a session that this one cannot read.
    } catch .reactorQuarantined {
      // They run again after the quarantine.
      environment.recovery.raise()
    } catch {
      logger.error(
        "interrupted actions cannot be resumed yet",
        ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
      environment.recovery.raise()
    }
  }

  /// Sets the function that ends streams of sessions that an account has in memory, called when sessions must
  /// release memory and none is idle.
  package func onShortage(_ handler: @escaping @Sendable (_ account: Account) -> Void) {
    shortageHandler.withLock { $0 = handler }
  }

  /// Evicts idle sessions from memory periodically, until the task is cancelled.
  public func sweepIdleSessions() async throws {
    let interval = settings.sessionIdle / 2
    var next = ContinuousClock.now + interval
    /// The bytes of sessions at the last check, if they were too many.
    var usedInShortage: Int?
    while true {
      try await Task.sleep(for: min(interval, .seconds(1)))
      // Histories and unsent bytes may need the memory of sessions.
      if settings.ledger.mustRelease(.states) {
        for reactor in reactors { reactor.relieveMemory() }
        let used = settings.ledger.used(.states)
        // No idle session was evicted since the last time: streams end, so that their sessions become idle.
        if let former = usedInShortage, used >= former,
          let largest = settings.ledger.largest(.states)
        {
          shortageHandler.withLock { $0 }?(largest)
        }
        usedInShortage = used
      } else {
        usedInShortage = nil
      }
      guard ContinuousClock.now >= next else { continue }
      next = .now + interval
      // The second sweep that finds a session unused evicts it: after 1 to 1.5 times the idle time.
      for reactor in reactors { reactor.sweep() }
    }
  }
}
