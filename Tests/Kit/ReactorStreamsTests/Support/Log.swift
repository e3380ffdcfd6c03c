import Synchronization

/// A record of entries from any thread, in order.
final class Log<Entry: Sendable>: Sendable {
  private let recorded = Mutex<[Entry]>([])

  var entries: [Entry] {
    recorded.withLock { $0 }
  }

  func append(_ entry: Entry) {
    recorded.withLock { $0.append(entry) }
  }
}
