import ReactorLog
import Synchronization

/// A session that appends one counted mutation whenever it is asked, and notes what becomes of it.
final class CountedSource: BatchSource {
  private let log: any SessionLog
  private let version = Atomic<Int>(0)
  private let committed = Atomic<Int>(0)

  init(_ log: any SessionLog) {
    self.log = log
  }

  /// How often it was asked.
  var asked: Int { version.load(ordering: .sequentiallyConsistent) }

  /// How many of its mutations are committed.
  var committedCount: Int { committed.load(ordering: .sequentiallyConsistent) }

  func appendBatch() {
    let version = version.add(1, ordering: .sequentiallyConsistent).newValue
    log.append(LogBatch([LogEntry(counted: version)]), to: "one", expecting: version - 1) {
      result in
      if case .success = result { self.committed.add(1, ordering: .sequentiallyConsistent) }
    }
  }
}
