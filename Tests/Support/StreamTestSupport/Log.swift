import Synchronization

/// A record of entries from any thread, in order.
package final class Log<Entry: Sendable>: Sendable {
  private let recorded = Mutex<[Entry]>([])

  package init() {}

  package var entries: [Entry] {
    recorded.withLock { $0 }
  }

  package func append(_ entry: Entry) {
    recorded.withLock { $0.append(entry) }
  }
}
