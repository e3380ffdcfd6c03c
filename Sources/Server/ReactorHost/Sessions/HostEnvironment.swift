internal import ReactorCore
internal import Synchronization
internal import ReactorLog
internal import Telemetry

/// The parts of a host that all of its reactors share.
final class HostEnvironment: Sendable {
  let settings: HostSettings
  let log: any MutationLog
  let logger: Logger
  let effectQuota: EffectQuota
  let recovery = RecoveryFlag()
  let starts = SurvivedStarts()
  let sessions: HostedSessions
  let timers: TimerService
  let router: (any SessionRouter)?
  /// Executes work that would block another thread, in turn by client.
  let background: WorkerPool

  init(
    settings: HostSettings, log: any MutationLog, logger: Logger,
    router: (any SessionRouter)? = nil
  ) {
    self.router = router
    background = WorkerPool(
      width: settings.backgroundThreads, start: settings.startBackgroundThread)
    sessions = HostedSessions(
      wait: settings.sendWait, readsFromDisk: log.readsFromDisk, ledger: settings.ledger)
    self.settings = settings
    self.log = log
    self.logger = logger
    timers = TimerService(log: log, logger: logger)
    effectQuota = EffectQuota(
      perReactor: settings.sessionEffectLimit, total: settings.effectLimit, in: settings.ledger)
  }
}

/// The parts of a host that all sessions of one reactor share.
///
/// A class, so that each session stores only a reference to it.
final class ReactorEnvironment: Sendable {
  let witness: ReactorWitness
  /// Creates the observers of the reactor's delegate, or returns `nil` for none.
  let observerMaker: CommitObserverMaker?
  let settings: HostSettings
  let log: any MutationLog
  let logger: Logger
  let effectQuota: EffectQuota
  let recovery: RecoveryFlag
  let starts: SurvivedStarts
  let sessions: HostedSessions
  let timers: TimerService
  /// Routes requests to the owners of sessions, or returns `nil` in a host that owns all.
  let router: (any SessionRouter)?
  /// Executes work that would block another thread, in turn by client.
  let background: WorkerPool
  let counts = ReactorCounts()
  let failedEffects = FailedEffects()
  let blocked = BlockedWork()
  let evictable = EvictableSlots()
  let absent = AbsentSessions()

  init(
    _ witness: ReactorWitness, _ observerMaker: CommitObserverMaker?, in host: HostEnvironment
  ) {
    self.witness = witness
    self.observerMaker = observerMaker
    settings = host.settings
    log = host.log
    logger = host.logger
    effectQuota = EffectQuota(within: host.effectQuota)
    recovery = host.recovery
    starts = host.starts
    timers = host.timers
    sessions = host.sessions
    router = host.router
    background = host.background
  }

  /// Creates the parts of a session that is not hosted: without the counters, the delegate and the streams
  /// of the sessions that are.
  init(besides other: ReactorEnvironment) {
    witness = other.witness
    observerMaker = nil
    settings = other.settings
    log = other.log
    logger = other.logger
    effectQuota = other.effectQuota
    recovery = other.recovery
    starts = other.starts
    timers = other.timers
    sessions = other.sessions
    router = other.router
    background = other.background
  }

  /// Returns the scope of a session for the instances of its reactor.
  func scope(of key: SessionKey, _ parameters: [UInt8]?) -> SessionScope {
    SessionScope(key, parameters: parameters, logger: logger, link: sessions)
  }
}

/// Whether the journal may have actions of sessions that are not in memory: after the start, and
/// after the log has interrupted a session.
final class RecoveryFlag: Sendable {
  private let isRaised = Atomic<Bool>(true)

  /// Requests a recovery.
  func raise() {
    isRaised.store(true, ordering: .releasing)
  }

  /// Lowers the flag and returns whether it was raised.
  func lower() -> Bool {
    isRaised.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// The ids of slots that may be without a session: it has ended, or could not be opened.
///
/// A slot is added while it is in use; the table removes it later.
final class EvictableSlots: Sendable {
  private let ids = Mutex<Set<String>>([])

  func insert(_ id: String) {
    _ = ids.withLock { $0.insert(id) }
  }

  func removeAll() -> Set<String> {
    ids.withLock { ids in
      guard !ids.isEmpty else { return [] }
      defer { ids = [] }
      return ids
    }
  }
}
