import ReactorLog
import SQLiteLog
import Testing

/// The implementations of the log protocol.
enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
}

/// An empty log.
final class LogUnderTest {
  let log: any MutationLog
  private let folder: TemporaryFolder?
  private let store: SQLiteLog?

  /// Creates a log that retains at least a number of versions per session; `nil` for all.
  init(_ kind: LogKind, retained: Int? = nil, changeRetention: Duration = .zero) throws {
    switch kind {
    case .memory:
      log = MemoryLog(retainedVersions: retained ?? .max, changeRetention: changeRetention)
      (folder, store) = (nil, nil)
    case .sqlite:
      let folder = try TemporaryFolder()
      let retention = retained.map { RetentionRules(.versions($0)) } ?? RetentionRules()
      let store = try SQLiteLog(
        path: folder["log.db"], retention: retention, changeRetention: changeRetention)
      (self.folder, self.store) = (folder, store)
      log = store
    }
  }

  deinit { store?.close() }

  /// The log of a session of the reactor `counter`.
  func session(_ id: String = "demo") -> any SessionLog {
    log.session(SessionKey(reactor: "counter", id: id))
  }
}
