internal import ReactorLog
internal import Telemetry

extension StoredFeed.Source {
  /// Reads the changes of a store that this process writes to.
  init(_ readers: ReaderPool, logger: Logger) {
    self.init(
      oldest: { () throws(LogError) in
        try readers.read { (reader) throws(DatabaseError) in try reader.oldestChange() }
      },
      read: { (number, latest, limit) throws(LogError) in
        try readers.read { (reader) throws(DatabaseError) in
          try reader.changes(after: number, upTo: latest, limit: limit)
        }
      },
      report: { number, name in
        logger.error("a change of the feed is damaged", ["change": "\(number)", "name": name])
      })
  }
}

extension LogReader {
  /// The number of the oldest retained change, or `nil` for none.
  func oldestChange() throws(DatabaseError) -> Int? {
    try findOldestChange.first(as: Int.self)
  }

  /// The changes after a number, in order; a row that no change can be read from is one of them.
  func changes(
    after number: Int, upTo latest: Int, limit: Int
  ) throws(DatabaseError) -> [StoreChange] {
    try readChanges.bind(number, latest, max(0, limit))
    defer { readChanges.reset() }
    var changes: [StoreChange] = []
    while let (number, kind, reactor, session, epoch, version, first, origin, at, by) =
      try readChanges.next(
        as: (
          Int, Int, String?, String, String, Int, Int, String?, Timestamp, String?
        ).self)
    {
      changes.append(
        StoredChange.change(
          number, kind: kind, reactor: reactor, session: session, epoch: epoch, version: version,
          first: first, origin: origin, at: at, by: by))
    }
    return changes
  }
}

extension StoreFile {
  /// Begins or continues the feed of changes, or ends it.
  ///
  /// A feed that was ended misses changes. It gets a new name when it begins again, so that readers
  /// start over. So does a feed whose name or last number is damaged.
  ///
  /// - Parameters:
  ///   - isKept: Whether changes are retained.
  ///   - logger: Logs that the feed is damaged.
  /// - Returns: The name of the feed and the number of the last change, or `nil` if none are retained.
  /// - Throws: If the store cannot be written.
  func prepareFeed(
    isKept: Bool, logger: Logger
  ) throws(SQLiteLogError) -> (name: String, latest: Int)? {
    let connection = try open(for: .writing)
    do throws(DatabaseError) {
      guard isKept else {
        try connection.execute("DELETE FROM feed")
        return nil
      }
      let find = try connection.prepare("SELECT name FROM feed")
      let latest = Int(try connection.integer("SELECT coalesce(max(number), 0) FROM changes"))
      if let name = try find.first(as: String.self) {
        let id = ChangeID(store: name, number: latest)
        if StoredValues.areCounts(latest), ChangeID(id.description) == id { return (name, latest) }
        logger.error(
          "the feed of changes is damaged and begins again", ["feed": name, "latest": "\(latest)"])
      }
      let name = Epoch.random()
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        DELETE FROM changes;
        DELETE FROM feed;
        INSERT INTO feed (name) VALUES ('\(name)');
        COMMIT
        """)
      return (name, 0)
    } catch {
      throw SQLiteLogError(.unreadable, "cannot use the store \"\(path)\": \(error)")
    }
  }
}
