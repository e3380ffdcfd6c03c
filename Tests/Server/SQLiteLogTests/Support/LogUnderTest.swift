import PostgresLog
import PostgresServers
import ReactorLog
import SQLiteLog
import Testing
import TestSupport

/// The implementations of the log protocol.
enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite
  case postgres
  /// Three databases of one server.
  case spread

  /// The kinds of one store, with one order of all changes.
  static let ofOneStore = allCases.filter { $0 != .spread }

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
    case .spread:
      let server = try PostgresServer.shared.get()
      let databases = try Self.databases.get()
      var settings = PostgresLog.Settings(try #require(PostgresAddress(server.url())))
      settings.schema = PostgresServer.newSchema()
      settings.wait = .seconds(120)
      if let retained { settings.retention = RetentionRules(.versions(retained)) }
      let store = try SpreadLog(databases, of: server, settings)
      (folder, close) = (nil, { store.close() })
      log = store
    }
  }

  deinit { close() }

  /// The names of three databases of the server of all tests.
  private static let databases = Result {
    let names = ["spread_0", "spread_1", "spread_2"]
    for name in names { try PostgresServer.shared.get().query("create database \(name)") }
    return names
  }

  /// The log of a session of the reactor `counter`.
  func session(_ id: String = "demo") -> any SessionLog {
    log.session(SessionKey(reactor: "counter", id: id))
  }
}
