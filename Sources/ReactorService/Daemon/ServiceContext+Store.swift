internal import Glibc
internal import MicrohttpdServer
internal import NATSClient
internal import NATSLog
internal import ReactorCluster
internal import ReactorHost
internal import ReactorLog
internal import SQLiteLog
internal import Telemetry

/// The open store of the daemon.
struct OpenStore: Sendable {
  let log: any MutationLog

  /// Closes the store within a time limit; returns whether everything was written.
  let close: @Sendable (Duration) -> Bool

  /// The metrics of the store; `nil` for none.
  var metrics: (any MetricsSource)?

  /// The quarantine that all processes of the store share; `nil` for none.
  var quarantine: StoredQuarantine?

  /// The node that shares the sessions of the store with others; `nil` if this process has all.
  var node: ClusterNode?
}

extension ServiceContext {
  /// Opens the configured store; waits up to `start.wait` for another process to release it, or for its
  /// brokers.
  ///
  /// Clients of a passed socket wait in its backlog meanwhile.
  ///
  /// - Returns: `nil` if the termination was requested while waiting.
  func openStoreWhenFree(_ notifier: ServiceNotifier) async throws -> OpenStore? {
    let deadline = ContinuousClock.now + configuration.startWait
    var isWaiting = false
    while true {
      do throws(ConfigurationError) {
        return try await openStore()
      } catch {
        guard error.isTemporary, ContinuousClock.now < deadline else { throw error }
        if !isWaiting {
          logger.info("waiting for the store", ["store": "\(configuration.store)"])
          notifier.notify(.waiting)
          isWaiting = true
        }
      }
      // A released file lock causes no notification.
      try await Task.sleep(for: .milliseconds(20))
      if termination.isRequested { return nil }
    }
  }

  /// Opens the configured store.
  func openStore() async throws(ConfigurationError) -> OpenStore {
    switch configuration.store {
    case .memory:
      return OpenStore(
        log: MemoryLog(
          retention: configuration.retention,
          outcomeRetention: configuration.host.idempotency,
          changeRetention: configuration.changeRetention)
      ) { _ in true }
    case .sqlite(let path):
      // A file size limit makes writes fail instead of ending the process.
      signal(SIGXFSZ, SIG_IGN)
      do throws(SQLiteLogError) {
        let log = try SQLiteLog(
          path: path, retention: configuration.retention,
          outcomeRetention: configuration.host.idempotency,
          changeRetention: configuration.changeRetention, logger: logger)
        return OpenStore(log: log) { log.close(within: $0) }
      } catch {
        throw ConfigurationError(error)
      }
    case .nats(let addresses): return try await openBrokers(addresses)
    }
  }

  /// Opens a store at brokers.
  private func openBrokers(_ text: String) async throws(ConfigurationError) -> OpenStore {
    var settings = try configuration.brokerSettings(text)
    settings.node = nodeName
    let log: NATSLog
    do throws(NATSLogError) {
      log = try await NATSLog.open(settings, logger: logger)
    } catch {
      throw ConfigurationError(error)
    }
    do throws(ConfigurationError) {
      let node = try makeNode(named: settings.node, settings, log)
      return OpenStore(
        log: log, close: { log.close(within: $0) }, metrics: log, quarantine: log.quarantine,
        node: node)
    } catch {
      log.close(within: .zero)
      throw error
    }
  }
}

extension Configuration {
  /// The settings of a store at brokers.
  func brokerSettings(_ text: String) throws(ConfigurationError) -> NATSLog.Settings {
    guard let addresses = NATSAddresses(text) else {
      throw .configuration("store: \(store) is no address of brokers")
    }
    guard clusterSuspect >= clusterHeartbeat * 2 else {
      throw .configuration("cluster.suspect: expected at least twice cluster.heartbeat")
    }
    var settings = NATSLog.Settings(addresses, node: HostName.current)
    let path = clusterCredentials
    let isReadable = unsafe access(path, R_OK) == 0
    guard path.isEmpty || isReadable else {
      throw .configuration("cluster.credentials: \(path) cannot be read")
    }
    settings.credentials = path.isEmpty ? nil : path
    settings.name = clusterName.text
    settings.replicas = clusterReplicas
    settings.streams = clusterStreams
    settings.wait = clusterWait
    settings.outcomeRetention = host.idempotency
    settings.retention = retention
    settings.changeRetention = changeRetention
    settings.requiredPayload =
      max(server.limits.body, host.stateLimit) + 65_536
    return settings
  }
}

extension ConfigurationError {
  /// Brokers that cannot be used.
  init(_ error: NATSLogError) {
    self.init(message: "store: \(error)", exitCode: 78, isTemporary: error.isTemporary)
  }

  /// A store that cannot be opened: EX_CANTCREAT if the file cannot be created, else EX_CONFIG.
  init(_ error: SQLiteLogError) {
    self.init(
      message: error.message, exitCode: error.code == .cannotCreate ? 73 : 78,
      isTemporary: error.code == .inUse)
  }
}
