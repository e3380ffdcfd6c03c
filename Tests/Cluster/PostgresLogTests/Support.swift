import PostgresLog
import PostgresServers
import ReactorLog
import Telemetry
import Testing

/// The settings of a store in a schema of its own.
func newStore(
  at server: PostgresServer? = nil, wait: Duration = .seconds(120), changes: Duration = .zero
) throws -> PostgresLog.Settings {
  let url = try (server ?? PostgresServer.shared.get()).url()
  var settings = PostgresLog.Settings(try #require(PostgresAddress(url)))
  settings.schema = PostgresServer.newSchema()
  settings.wait = wait
  settings.changeRetention = changes
  settings.node = "test"
  return settings
}

/// The writing functions of a log as asynchronous functions.
extension SessionLog {
  func append(_ batch: LogBatch, to epoch: String, expecting version: Int) async throws {
    try await withCheckedContinuation { continuation in
      append(batch, to: epoch, expecting: version) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Appends counted mutations.
  func append(_ versions: ClosedRange<Int>, to epoch: String) async throws {
    try await append(
      LogBatch(versions.map { LogEntry(counted: $0) }), to: epoch,
      expecting: versions.lowerBound - 1)
  }

  var stored: StoredSession? {
    get throws {
      guard case .stored(let session) = try record() else { return nil }
      return session
    }
  }
}

extension MutationLog {
  func demo(_ id: String = "demo") -> any SessionLog {
    session(SessionKey(reactor: "counter", id: id))
  }
}

extension LogEntry {
  /// An entry that contains its version and the name of its writer.
  init(counted version: Int, by writer: String? = nil) {
    self.init(
      version: version, at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(version)),
      action: Array("\"increase\"".utf8), mutation: Array(#"{"by":\#(version)}"#.utf8), by: writer)
  }
}
