internal import ReactorLog
internal import Telemetry

extension StoredFeed.Source {
  /// Reads the changes of a store that several processes may write to.
  init(_ database: Database, logger: Logger) {
    self.init(
      oldest: { () throws(LogError) in
        try database.read { (reader) throws(PostgresError) in
          try reader.rows(reader.statements.oldestChange, Parameters()).first(as: Int.self)
        }
      },
      newest: { () throws(LogError) in
        try database.read { (reader) throws(PostgresError) in
          try reader.rows(reader.statements.latestChange, Parameters()).first(as: Int.self)
        }
      },
      read: { (number, latest, limit) throws(LogError) in
        try database.read { (reader) throws(PostgresError) in
          try reader.changes(after: number, upTo: latest, limit: limit)
        }
      },
      report: { number, name in
        logger.error("a change of the feed is damaged", ["change": "\(number)", "name": name])
      })
  }
}
