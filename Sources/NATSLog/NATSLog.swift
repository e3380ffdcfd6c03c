public import NATSClient
public import ReactorLog
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import SystemThreads
public import Telemetry

/// A durable log: JetStream streams of NATS brokers.
///
/// A write has succeeded when a majority of the brokers has stored it. A session is one subject; each
/// append states which message it follows, so that one of two writers is rejected, also while brokers are
/// killed or paused. Reads are by subject and by sequence; every message names the ones before it.
public final class NATSLog: Sendable {
  /// The settings of a store.
  public struct Settings: Sendable {
    /// The brokers.
    public var addresses: NATSAddresses

    /// The path of a file of credentials (`.creds`), or `nil` for none.
    public var credentials: String?

    /// The prefix of all subjects and streams: letters, digits, `_` and `-`.
    public var name = "reactord"

    /// The name of this process, which its messages contain.
    public var node: String

    /// The number of replicas of each stream.
    public var replicas = 3

    /// The number of LOG streams, fixed when the store is created.
    public var streams = 3

    /// How long an append that is not acknowledged is repeated, and how long reads wait.
    public var wait = Duration.seconds(15)

    /// How long the outcomes of idempotency keys are retained, at most 10,000 per session.
    public var outcomeRetention = IdempotencyKey.retention

    /// How much of each history is retained.
    ///
    /// Entries are deleted when the streams are cleaned.
    public var retention = RetentionRules()

    /// How long the changes of all sessions are retained; zero if they are not retained.
    public var changeRetention = Duration.zero

    /// The rules that decide when the streams are cleaned.
    var cleaning = LogCleaner.Rules()

    /// The size that `max_payload` of the brokers must at least have, in bytes.
    public var requiredPayload = 0

    /// Creates settings.
    public init(_ addresses: NATSAddresses, node: String) {
      self.addresses = addresses
      self.node = node
    }
  }

  let store: NATSStore
  let lists: SessionLists
  private let connection: NATSConnection
  let cleaner: LogCleaner
  /// The greeting of the broker, or `nil` if it could not be read.
  private let greeting: BrokerGreeting?
  let globals: GlobalStore
  /// The actions and sessions that crashed a process.
  public let quarantine: StoredQuarantine
  /// `requested` is 1 plus the number of calls of ``forgetTimers()``; `completed` is the value of
  /// `requested` when the last complete read of the timers began.
  let timerReads = Mutex((requested: 1, completed: 0))

  /// Opens a store; a missing one is created.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - logger: Logs when the connection is interrupted and restored, and the durability that the
  ///     brokers' version provides.
  /// - Returns: The open store.
  /// - Throws: If the store cannot be used.
  public static func open(
    _ settings: Settings, logger: Logger = .silent
  ) async throws(NATSLogError) -> NATSLog {
    let opened = await withCheckedContinuation { continuation in
      open(settings, logger: logger) { continuation.resume(returning: $0) }
    }
    return try opened.get()
  }

  /// Opens a store, see ``open(_:logger:)``, and calls a completion once, on any thread.
  package static func open(
    _ settings: Settings, logger: Logger,
    completion: @escaping @Sendable (Result<NATSLog, NATSLogError>) -> Void
  ) {
    // Connecting blocks.
    DispatchQueue.global().async {
      do throws(NATSLogError) {
        let log = try NATSLog(settings, logger)
        log.store.executor.detach {
          do throws(NATSLogError) {
            try await log.setup(settings).prepare()
            log.describe(settings)
            log.store.proof.start(on: log.store.executor)
            log.cleaner.start()
            try await log.openFeed(settings.changeRetention)
            try await log.openQuarantine()
            log.store.executor.complete { completion(.success(log)) }
          } catch {
            log.close(within: .zero)
            completion(.failure(error))
          }
        }
      } catch {
        completion(.failure(error))
      }
    }
  }

  private init(_ settings: Settings, _ logger: Logger) throws(NATSLogError) {
    try Self.check(settings)
    let observer = ConnectionObserver(logger, settings.addresses)
    var options = NATSConnection.Options(
      settings.addresses, credentials: settings.credentials,
      name: "reactord \(settings.node)")
    options.stateDidChange = { observer.connectionDidChange(isConnected: $0) }
    do throws(NATSError) {
      connection = try NATSConnection(options)
    } catch {
      throw NATSLogError(error, settings.addresses)
    }
    greeting = try Self.check(connection, settings)
    let writer = Writer(name: settings.node, incarnation: .random(in: 1 ... .max))
    let engine = try LogEngine(
      connection, writer: writer, prefix: settings.name, wait: settings.wait.milliseconds,
      counters: LogCounters(), logger: logger)
    observer.observe(engine)
    let names = StoreNames(prefix: settings.name, logStreams: settings.streams)
    let retention = settings.outcomeRetention / .milliseconds(1)
    store = NATSStore(
      engine, names, retention: settings.retention,
      outcomeRetention: retention < 9e15 ? Int64(retention) : .max,
      hasFeed: settings.changeRetention > .zero, logger: logger)
    cleaner = LogCleaner(store, settings.cleaning)
    lists = SessionLists(store: store)
    globals = GlobalStore(store: store)
    quarantine = StoredQuarantine(store)
  }

  private func setup(_ settings: Settings) -> StoreSetup {
    // A short time, because the caller repeats a start that fails while the brokers have no leader.
    StoreSetup(
      reader: store.reader, names: store.names, replicas: settings.replicas,
      hasFeed: store.hasFeed,
      wait: min(store.engine.wait, 2_000))
  }

  /// Opens the feed of changes if they are retained.
  private func openFeed(_ retention: Duration) async throws(NATSLogError) {
    guard store.hasFeed else { return }
    let milliseconds = retention / .milliseconds(1)
    do throws(LogError) {
      let feed = try await NATSFeed.open(
        store, retaining: milliseconds < 9e15 ? Int64(milliseconds) : .max)
      store.feed.withLock { $0 = feed }
      feed.start()
    } catch {
      throw NATSLogError("the feed of changes: \(error.reason)", isTemporary: true)
    }
  }

  private func openQuarantine() async throws(NATSLogError) {
    do throws(LogError) {
      try await quarantine.start()
    } catch {
      throw NATSLogError("the quarantine: \(error.reason)", isTemporary: true)
    }
  }

  /// The reason why writes are not confirmed, or `nil` if they are confirmed.
  public var failure: LogError? {
    guard connection.isConnected else {
      return .unavailable("The connection to the brokers is interrupted.")
    }
    return store.proof.isValid ? nil : .unavailable("The brokers do not confirm writes.")
  }

  /// Whether the brokers have confirmed a write of this process within 12 s, which is longer than
  /// an election.
  ///
  /// Unlike ``failure``, it does not change as soon as the connection is interrupted.
  public var hasQuorum: Bool { store.proof.isValid }

  /// Closes the log: waits until all writes have an outcome, and closes the connection.
  ///
  /// Later operations fail. Must not be called from a completion of the log.
  ///
  /// - Parameter time: The maximum time to wait.
  /// - Returns: Whether all writes have an outcome.
  @discardableResult
  public func close(within time: Duration = .seconds(60)) -> Bool {
    let isComplete = drain(within: time)
    store.feed.withLock { feed in
      feed?.stop()
      feed = nil
    }
    quarantine.stop()
    store.engine.close()
    connection.close()
    return isComplete
  }

  /// Waits until all writes have an outcome, snapshots included.
  ///
  /// - Parameter time: The maximum time to wait.
  /// - Returns: Whether all writes have an outcome.
  @discardableResult
  package func drain(within time: Duration = .seconds(60)) -> Bool {
    let deadline = Clock.milliseconds + time.milliseconds
    while store.engine.pendingAppends > 0 || store.saves.load(ordering: .relaxed) > 0 {
      guard Clock.milliseconds < deadline else { return false }
      poll(nil, 0, 5)
    }
    return true
  }
}

extension NATSLog: MetricsSource {
  /// Writes the metrics of the store.
  public func write(to text: inout MetricsText) {
    store.engine.counters.write(
      to: &text, isConnected: connection.isConnected, reconnects: connection.reconnects)
    text.family(
      "reactord_nats_quorum_age_seconds", .gauge,
      "Age of the last write that the brokers confirmed.", Double(store.proof.age) / 1000)
  }
}

extension NATSLog {
  /// Checks settings before connecting.
  private static func check(_ settings: Settings) throws(NATSLogError) {
    let isName = settings.name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
    }
    guard isName, (1...32).contains(settings.name.utf8.count) else {
      throw NATSLogError("cluster.name must be 1 to 32 of A-Z a-z 0-9 _ -")
    }
    guard !settings.addresses.requiresTLS || NATSConnection.supportsTLS else {
      throw NATSLogError(
        "tls:// needs libnats 3.11 or later: earlier ones use one TLS object from two threads; "
          + "let a local proxy encrypt the connection")
    }
  }

  /// Checks the broker of a connection.
  private static func check(
    _ connection: NATSConnection, _ settings: Settings
  ) throws(NATSLogError) -> BrokerGreeting? {
    guard connection.maximumPayload >= settings.requiredPayload else {
      throw NATSLogError(
        "max_payload of the brokers is \(connection.maximumPayload), but limits.body and "
          + "limits.state need \(settings.requiredPayload); set max_payload: 8MB")
    }
    guard let url = connection.connectedURL, let greeting = BrokerGreeting.read(from: url) else {
      return nil
    }
    guard greeting.isAtLeast(2, 9) else {
      throw NATSLogError(
        "nats-server \(greeting.versionText) is too old; 2.9 or later is needed")
    }
    return greeting
  }

  /// Logs the guarantee of an acknowledged write.
  private func describe(_ settings: Settings) {
    guard let greeting else { return }
    let logger = store.logger
    logger.info(
      "store on NATS",
      [
        "broker": greeting.versionText, "replicas": "\(settings.replicas)",
        "durable": Self.durability(of: greeting, replicas: settings.replicas),
      ])
    if !greeting.isAtLeast(2, 10, 26) {
      logger.warning(
        "this version of nats-server is not recommended for production; use 2.15 or later",
        ["broker": greeting.versionText])
    }
  }

  /// The guarantee of an acknowledged write.
  private static func durability(of greeting: BrokerGreeting, replicas: Int) -> String {
    let place = replicas > 1 ? "of a majority of the brokers" : "of one broker"
    return greeting.isAtLeast(2, 15)
      ? "on the disks \(place) with sync_interval: always, else in the operating systems"
      : "in the operating systems \(place)"
  }
}

extension NATSLogError {
  /// A connection that cannot be opened.
  init(_ error: NATSError, _ addresses: NATSAddresses) {
    switch error.code {
    case .unreachable:
      self.init("the brokers at \(addresses) cannot be reached", isTemporary: true)
    case .unauthorized: self.init("the brokers at \(addresses) reject the credentials")
    default:
      self.init(
        "the brokers at \(addresses) cannot be used: \(error)",
        isTemporary: error.code == .handshake)
    }
  }
}

/// Logs the state of the connection, and passes it to the engine.
private final class ConnectionObserver: Sendable {
  private let engine = Mutex<LogEngine?>(nil)
  private let logger: Logger
  private let addresses: NATSAddresses

  init(_ logger: Logger, _ addresses: NATSAddresses) {
    self.logger = logger
    self.addresses = addresses
  }

  func observe(_ engine: LogEngine) { self.engine.withLock { $0 = engine } }

  func connectionDidChange(isConnected: Bool) {
    engine.withLock { $0 }?.connectionDidChange(isConnected: isConnected)
    if isConnected {
      logger.info("the connection to the brokers is restored", ["store": "\(addresses)"])
    } else {
      logger.error("the connection to the brokers is interrupted", ["store": "\(addresses)"])
    }
  }
}
