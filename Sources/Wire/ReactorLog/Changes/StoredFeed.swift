internal import Synchronization

/// The feed of a store whose changes are rows.
package final class StoredFeed: ChangeFeed {
  /// The functions of a store that a feed calls.
  package struct Source: Sendable {
    let oldest: @Sendable () throws(LogError) -> Int?
    let newest: @Sendable () throws(LogError) -> Int?
    let read: @Sendable (_ after: Int, _ upTo: Int, _ limit: Int) throws(LogError) -> [StoreChange]
    let report: @Sendable (_ number: Int, _ name: String) -> Void

    /// Creates the functions.
    ///
    /// - Parameters:
    ///   - oldest: Returns the number of the oldest retained change, or `nil` for none.
    ///   - newest: Returns the number of the latest committed change, or `nil` if only this process writes.
    ///   - read: Returns the changes after a number, up to another one, in order.
    ///   - report: Logs the number and the name of a damaged change, which is called once for each.
    package init(
      oldest: @escaping @Sendable () throws(LogError) -> Int?,
      newest: @escaping @Sendable () throws(LogError) -> Int? = { () throws(LogError) in nil },
      read: @escaping @Sendable (Int, Int, Int) throws(LogError) -> [StoreChange],
      report: @escaping @Sendable (Int, String) -> Void
    ) {
      (self.oldest, self.newest, self.read, self.report) = (oldest, newest, read, report)
    }
  }

  package let store: String
  private let publisher: ChangePublisher
  private let source: Source
  /// The number of the last damaged change that was reported.
  private let reported = Mutex(0)

  /// Creates the feed with a name.
  package init(named store: String, _ publisher: ChangePublisher, _ source: Source) {
    (self.store, self.publisher, self.source) = (store, publisher, source)
  }

  package var latest: Int { publisher.latest }

  package func latestCommitted() throws(LogError) -> Int {
    let latest = latest
    return max(latest, try source.newest() ?? latest)
  }

  package func floor() throws(LogError) -> Int {
    let latest = latest
    return try source.oldest().map { $0 - 1 } ?? latest
  }

  package func changes(after number: Int, limit: Int) throws(LogError) -> [StoreChange] {
    // Changes after `latest` are committed, but their states may not be published yet.
    let changes = try source.read(number, latest, limit)
    for change in changes {
      guard case .damaged(let name) = change.kind, isUnreported(change.number) else { continue }
      source.report(change.number, name)
    }
    return changes
  }

  private func isUnreported(_ number: Int) -> Bool {
    reported.withLock { reported in
      defer { reported = max(reported, number) }
      return number > reported
    }
  }

  package func observe(_ observer: any ChangeObserver) { publisher.add(observer) }

  package func stopObserving(_ observer: any ChangeObserver) { publisher.remove(observer) }
}
