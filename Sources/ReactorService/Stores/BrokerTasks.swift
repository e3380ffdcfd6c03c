#if NATS
  internal import Glibc
  internal import NATSLog
  internal import ReactorHost
  internal import ReactorLog
  internal import TerminalClient

  extension ServiceContext {
    func execute(_ task: StoreTask, atBrokers addresses: String) async throws {
      let log = try await NATSLog.openForTask(try configuration.brokerSettings(addresses))
      defer { log.close() }
      do {
        switch task {
        case .export(sample: nil, _):
          let output = StandardOutput()
          try await log.export { try output.write($0 + [UInt8(ascii: "\n")]) }
          try output.flush()
        case .import(leavesOutDamaged: true):
          throw ConfigurationError.usage("--damaged skip needs a store sqlite:PATH")
        case .import:
          let lines = InputLines()
          print("\(try await log.import { try lines.next() }) sessions imported")
        case .export, .verify, .check, .backup, .compact, .migrate:
          throw ConfigurationError.configuration(
            "a store nats:// has 'log export' and 'log import'; the brokers copy and verify the rest"
          )
        }
      } catch let error as NATSLogError {
        throw ConfigurationError(error)
      } catch let error as LogError {
        throw ConfigurationError(message: "store: \(error)", exitCode: EX_DATAERR)
      }
    }
  }

  extension QuarantineTask {
    /// Executes the task of a store at brokers.
    func execute(
      _ configuration: Configuration, atBrokers addresses: String
    ) async throws(ConfigurationError) {
      let log = try await NATSLog.openForTask(try configuration.brokerSettings(addresses))
      defer { log.close() }
      switch self {
      case .list:
        for entry in log.quarantine.entries { print(Self.line(QuarantinedAction(entry))) }
      case .clear:
        do throws(LogError) {
          print("\(try await log.quarantine.clear()) entries removed")
        } catch {
          throw ConfigurationError(message: "store: \(error)", exitCode: 78)
        }
      }
    }
  }

  extension NATSLog {
    /// Opens a store at brokers for a maintenance task, which does not write the feed of changes.
    fileprivate static func openForTask(
      _ settings: NATSLog.Settings
    ) async throws(ConfigurationError) -> NATSLog {
      var settings = settings
      settings.changeRetention = .zero
      do throws(NATSLogError) {
        return try await open(settings)
      } catch {
        throw ConfigurationError(error)
      }
    }
  }
#endif
