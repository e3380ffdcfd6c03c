internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// One database of a store: its writer, its reading connections and its upkeep.
final class Database: Sendable {
  let schema: String
  let writer: GroupWriter
  let readers: ReadConnections
  let statements: ReadStatements
  let upkeep: Upkeep

  init(
    _ writer: GroupWriter, _ readers: ReadConnections, _ upkeep: Upkeep, schema: String
  ) {
    self.writer = writer
    self.readers = readers
    self.upkeep = upkeep
    self.schema = schema
    statements = ReadStatements(schema)
  }

  /// Calls a body with a reader that no other thread uses meanwhile, again if the connection is lost.
  ///
  /// Waits while the fate of a change is unknown, so that a session that is read again has that change or never
  /// gets it.
  func read<Value: Sendable>(
    _ body: (StoreReader) throws(PostgresError) -> Value
  ) throws(LogError) -> Value {
    let hasKnownFates = { [writer] in
      !writer.hasUnknownFates.load(ordering: .sequentiallyConsistent)
    }
    return try readers.read(when: hasKnownFates) { (connection, deadline) throws(PostgresError) in
      try body(StoreReader(connection: connection, statements: statements, deadline: deadline))
    }
  }
}
