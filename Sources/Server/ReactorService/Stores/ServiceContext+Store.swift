internal import Glibc
internal import MicrohttpdServer
internal import ReactorCluster
internal import ReactorHost
internal import ReactorLog
internal import SQLiteLog
internal import SystemThreads
internal import Telemetry

/// The open store of the daemon.
struct OpenStore: Sendable {
  let log: any MutationLog

  /// Closes the store within a time limit; returns whether everything was written.
  let close: @Sendable (Duration) -> Bool

  /// Calls a function once the threads that write commits have responded, or returns `nil` if the store
  /// has none.
  var callOnThreads: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

  /// Adds the quarantine that all processes of the store share to the marks of this process, or returns `nil`
  /// if the store has none.
  var sharedMarks: (@Sendable (CrashMarks?) -> any SharedMarking)?

  /// Announces in the store that this process is about to stop, or `nil` if the store has no nodes.
  var drain: (@Sendable () -> Void)?

  /// The node that shares the sessions of the store with others, or `nil` if this process owns all
  /// sessions.
  var node: ClusterNode?
}

extension ServiceContext {
  /// Opens the configured store; waits up to a minute for another process to release it, or for its
  /// database.
  ///
  /// In the meantime, clients of an inherited socket wait in its backlog.
  ///
  /// - Returns: `nil` if the termination was requested while waiting.
  func openStoreWhenFree() async throws -> OpenStore? {
    var wait = StartWait(configuration.startWait)
    while true {
      do throws(ConfigurationError) {
        return try await openStore()
      } catch {
        guard error.isTemporary, !wait.hasElapsed else { throw error }
        if wait.begins() {
          logger.info("waiting for the store", ["store": "\(configuration.store)"])
          notifier.notify(.waiting)
        }
      }
      // Poll: the release of a file lock causes no notification.
      try await Task.sleep(for: .milliseconds(20))
      if termination.isRequested { return nil }
    }
  }

  /// Opens the configured store.
  func openStore() async throws(ConfigurationError) -> OpenStore {
    try configuration.checkLinks()
    switch configuration.store {
    case .memory:
      return OpenStore(
        log: MemoryLog(
          retention: configuration.retention,
          outcomeRetention: configuration.host.idempotency,
          changeRetention: configuration.changeRetention,
          ledger: configuration.host.ledger)
      ) { _ in true }
    case .sqlite(let path):
      // A file size limit makes writes fail instead of ending the process.
      signal(SIGXFSZ, SIG_IGN)
      do throws(SQLiteLogError) {
        let log = try SQLiteLog(
          path: path, retention: configuration.retention,
          outcomeRetention: configuration.host.idempotency,
          changeRetention: configuration.changeRetention, logger: logger)
        return OpenStore(
          log: log, close: { log.close(within: $0) }, callOnThreads: { log.callOnThreads($0) })
      } catch {
        throw ConfigurationError(error)
      }
    case .postgres(let address): return try openDatabase(address)
    }
  }
}

extension ConfigurationError {
  /// Creates the error for a store that cannot be opened: EX_CANTCREAT if the file cannot be
  /// created, EX_TEMPFAIL if no space is left to migrate it, EX_DATAERR for invalid lines of an import, else EX_CONFIG.
  init(_ error: SQLiteLogError) {
    let exitCode: Int32 =
      switch error.code {
      case .cannotCreate: EX_CANTCREAT
      case .noSpace: EX_TEMPFAIL
      case .invalidInput: EX_DATAERR
      default: EX_CONFIG
      }
    self.init(
      message: error.message, exitCode: exitCode, isTemporary: error.code == .inUse)
  }
}
