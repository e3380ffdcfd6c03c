import ReactorLog
import Synchronization

/// A source that appends one counted mutation per request and counts the commits.
final class CountedSource: BatchSource {
  private let log: any SessionLog
  private let version = Atomic<Int>(0)
  private let committed = Atomic<Int>(0)

  init(_ log: any SessionLog) {
    self.log = log
  }

  /// The number of requests for a batch.
  var requestCount: Int { version.load(ordering: .sequentiallyConsistent) }

  /// The number of committed mutations.
  var committedCount: Int { committed.load(ordering: .sequentiallyConsistent) }

  func appendBatch() {
    let version = version.add(1, ordering: .sequentiallyConsistent).newValue
    log.append(LogBatch([LogEntry(counted: version)]), to: "one", expecting: version - 1) {
      result in
      if case .success = result { self.committed.add(1, ordering: .sequentiallyConsistent) }
    }
  }
}
