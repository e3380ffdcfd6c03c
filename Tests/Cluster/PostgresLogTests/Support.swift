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
    try await wait { append(batch, to: epoch, expecting: version, completion: $0) }
  }

  /// Appends counted mutations.
  func append(_ versions: ClosedRange<Int>, to epoch: String) async throws {
    try await append(
      LogBatch(versions.map { LogEntry(counted: $0) }), to: epoch,
      expecting: versions.lowerBound - 1)
  }

  func create(epoch: String) async throws {
    try await wait { create(epoch: epoch, parameters: nil, completion: $0) }
  }

  func end() async throws { try await wait { end(completion: $0) } }

  var stored: StoredSession? {
    get throws {
      guard case .stored(let session) = try record() else { return nil }
      return session
    }
  }
}

extension MutationLog {
  func share(_ value: SharedValue, as name: String) async throws {
    try await wait { share(value, as: name, completion: $0) }
  }

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

private func wait(
  _ start: (@escaping @Sendable (Result<Void, LogError>) -> Void) -> Void
) async throws {
  try await withCheckedThrowingContinuation { continuation in
    start { continuation.resume(with: $0.mapError { $0 }) }
  }
}
