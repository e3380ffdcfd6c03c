import Brokers
import Dispatch
import NATSClient
import NATSLog
import PostgresLog
import PostgresServers
import ReactorLog
import SQLiteLog
import Synchronization
import Telemetry
import Testing

/// The implementations of the log protocol.
enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite
  case nats
  case postgres

  /// The logs that delete entries as soon as a snapshot replaces them.
  static let withRetention = [LogKind.memory, .sqlite, .postgres]

  var testDescription: String { rawValue }
}

/// An empty log.
final class LogUnderTest {
  let log: any MutationLog
  private let folder: TemporaryFolder?
  private let close: () -> Void

  /// Creates a log that retains at least a number of versions per session, or returns `nil` for all.
  init(_ kind: LogKind, retained: Int? = nil, changeRetention: Duration = .zero) throws {
    switch kind {
    case .memory:
      log = MemoryLog(retainedVersions: retained ?? .max, changeRetention: changeRetention)
      (folder, close) = (nil, {})
    case .sqlite:
      let folder = try TemporaryFolder()
      let retention = retained.map { RetentionRules(.versions($0)) } ?? RetentionRules()
      let store = try SQLiteLog(
        path: folder["log.db"], retention: retention, changeRetention: changeRetention)
      (self.folder, close) = (folder, { _ = store.close() })
      log = store
    case .nats:
      let store = try Self.openNATS(changeRetention: changeRetention)
      (folder, close) = (nil, { _ = store.close() })
      log = store
    case .postgres:
      let address = try #require(PostgresAddress(try PostgresServer.shared.get().url()))
      var settings = PostgresLog.Settings(address)
      settings.schema = PostgresServer.newSchema()
      settings.wait = .seconds(120)
      settings.changeRetention = changeRetention
      if let retained { settings.retention = RetentionRules(.versions(retained)) }
      let store = try PostgresLog(settings)
      (folder, close) = (nil, { _ = store.close() })
      log = store
    }
  }

  deinit { close() }

  private static let broker = Result { try Broker() }
  private static let stores = Atomic(0)

  /// Creates a store of its own on the broker of the tests.
  private static func openNATS(changeRetention: Duration) throws -> NATSLog {
    let addresses = try #require(NATSAddresses(try broker.get().url))
    var settings = NATSLog.Settings(addresses, node: "test")
    settings.name = "test-\(stores.add(1, ordering: .relaxed).newValue)"
    settings.replicas = 1
    settings.streams = 2
    settings.wait = .seconds(120)
    settings.changeRetention = changeRetention
    let opened = Mutex<Result<NATSLog, NATSLogError>?>(nil)
    let isOpen = DispatchSemaphore(value: 0)
    NATSLog.open(settings, logger: .silent) { result in
      opened.withLock { $0 = result }
      isOpen.signal()
    }
    isOpen.wait()
    return try #require(opened.withLock { $0 }).get()
  }

  /// The log of a session of the reactor `counter`.
  func session(_ id: String = "demo") -> any SessionLog {
    log.session(SessionKey(reactor: "counter", id: id))
  }
}
