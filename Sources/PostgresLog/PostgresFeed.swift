internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// The changes of a store that several processes may write to.
final class PostgresFeed: ChangeFeed {
  let store: String
  private let database: Database
  private let publisher: ChangePublisher
  private let logger: Logger
  /// The number of the last damaged change that the log names.
  private let named = Mutex(0)

  init(
    named store: String, _ publisher: ChangePublisher, _ database: Database, logger: Logger
  ) {
    self.store = store
    self.publisher = publisher
    self.database = database
    self.logger = logger
  }

  var latest: Int { publisher.latest }

  func floor() throws(LogError) -> Int {
    let latest = latest
    return try database.read { (reader) throws(DatabaseError) in
      try reader.rows(reader.statements.oldestChange, Parameters()).first(as: Int.self)
        .map { $0 - 1 } ?? latest
    }
  }

  func changes(after number: Int, limit: Int) throws(LogError) -> [StoreChange] {
    // Changes after `latest` are committed, but their states may not be published yet.
    let latest = latest
    let changes = try database.read { (reader) throws(DatabaseError) in
      try reader.changes(after: number, upTo: latest, limit: limit)
    }
    for change in changes {
      guard case .damaged(let name) = change.kind,
        named.withLock({ named in
          defer { named = max(named, change.number) }
          return change.number > named
        })
      else { continue }
      logger.error(
        "a change of the feed is damaged", ["change": "\(change.number)", "name": name])
    }
    return changes
  }

  func observe(_ observer: any ChangeObserver) { publisher.add(observer) }

  func stopObserving(_ observer: any ChangeObserver) { publisher.remove(observer) }
}
