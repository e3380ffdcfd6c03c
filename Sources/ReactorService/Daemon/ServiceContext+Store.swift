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
  /// Opens the store that is configured.
  func openStore() throws(ConfigurationError) -> OpenStore {
    switch configuration.store {
    case .memory:
      return OpenStore(log: MemoryLog(retention: configuration.log.retain)) { _ in true }
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
    self.init(message: error.message, exitCode: error.code == .cannotCreate ? 73 : 78)
  }
}
