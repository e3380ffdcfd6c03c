import ReactorLog
import SQLiteLog
import Testing

/// The logs that keep the one contract.
enum LogKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
}

/// A log, empty at first.
final class LogUnderTest {
  let log: any MutationLog
  private let folder: TemporaryFolder?
  private let store: SQLiteLog?

  /// Makes a log that keeps so many versions of a session at least; `nil` keeps all.
  init(_ kind: LogKind, retained: Int? = nil) throws {
    switch kind {
    case .memory:
      log = MemoryLog(retainedVersions: retained ?? .max)
      (folder, store) = (nil, nil)
    case .sqlite:
      let folder = try TemporaryFolder()
      let retention = retained.map { RetentionRules(.versions($0)) } ?? RetentionRules()
      let store = try SQLiteLog(path: folder["log.db"], retention: retention)
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
