internal import Glibc
internal import ReactorHost
internal import SQLiteLog

/// Where the logs of the sessions are kept, as long as the daemon runs.
struct OpenStore: Sendable {
  let log: any MutationLog

  /// Gives the store back, within a time, and says whether everything is in it.
  let close: @Sendable (Duration) -> Bool
}

extension ServiceContext {
  /// Opens the store that is configured, once another process has let go of it.
  ///
  /// It waits as long as `start.wait`; `nil` when the end is asked for meanwhile. Clients wait where
  /// they are: on a socket that was handed over, in the kernel.
  func openStoreWhenFree(_ notices: ServiceNotices) async throws -> OpenStore? {
    let deadline = ContinuousClock.now + configuration.start.wait
    var isWaiting = false
    while true {
      do throws(ConfigurationError) {
        return try openStore()
      } catch {
        guard error.isTemporary, ContinuousClock.now < deadline else { throw error }
        if !isWaiting {
          logger.info("waiting for the store", ["store": "\(configuration.store)"])
          notices.tell(.waiting)
          isWaiting = true
        }
      }
      // Its lock tells nobody that it is free.
      try await Task.sleep(for: .milliseconds(20))
      if termination.isRequested { return nil }
    }
  }

  /// Opens the store that is configured.
  func openStore() throws(ConfigurationError) -> OpenStore {
    switch configuration.store {
    case .memory:
      return OpenStore(
        log: MemoryLog(
          retention: configuration.log.retain,
          outcomesKept: configuration.actions.idempotency)
      ) { _ in true }
    case .sqlite(let path):
      // A file that may not grow any more is an error of writing, and not the end of the process.
      signal(SIGXFSZ, SIG_IGN)
      do throws(SQLiteLogError) {
        let log = try SQLiteLog(
          path: path, retention: configuration.log.retain,
          outcomesKept: configuration.actions.idempotency, logger: logger)
        return OpenStore(log: log) { log.close(within: $0) }
      } catch {
        throw ConfigurationError(error)
      }
    case .nats:
      throw .configuration("this build has no support for the store \(configuration.store)")
    }
  }
}

extension ConfigurationError {
  /// Why a store cannot be used: EX_CANTCREAT where the system refuses it, else EX_CONFIG.
  init(_ error: SQLiteLogError) {
    self.init(
      message: error.message, exitCode: error.code == .cannotCreate ? 73 : 78,
      isTemporary: error.code == .inUse)
  }
}
