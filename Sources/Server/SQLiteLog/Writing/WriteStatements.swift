internal import ReactorLog

/// The statements of the writer, prepared once per connection.
struct WriteStatements {
  let begin: Statement
  let commit: Statement
  let findSession: Statement
  let hasEnded: Statement
  let insertSession: Statement
  let replaceSession: Statement
  let endSession: Statement
  let readParameters: Statement
  let setSchema: Statement
  let insertMutation: Statement
  let findChecksum: Statement
  let insertSnapshot: Statement
  let markGlobal: Statement
  let putAccepted: Statement
  let deleteAccepted: Statement
  let clearRuns: Statement
  let putTimer: Statement
  let deleteTimer: Statement
  let deleteTimers: Statement
  let insertFailure: Statement
  let trimFailures: Statement
  let deleteFailure: Statement
  let deleteFailures: Statement
  let share: Statement
  let thinSnapshots: Statement

  init(_ connection: SQLiteConnection) throws(DatabaseError) {
    // Acquires the write lock when the transaction begins, so that no later statement fails because
    // another connection has the lock.
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    findSession = try connection.prepare(
      """
      SELECT id, epoch, origin, ended,
        (SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1),
        (SELECT checksum FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1),
        (SELECT version FROM snapshots WHERE session = id ORDER BY version DESC LIMIT 1),
        (SELECT chain FROM snapshots WHERE session = id ORDER BY version DESC LIMIT 1),
        types IS coalesce(?3, types)
      FROM sessions WHERE id = \(Schema.sessionID)
      """)
    hasEnded = try connection.prepare(
      "SELECT 1 FROM sessions WHERE reactor = ?1 AND ended = 1 AND session = ?2")
    insertSession = try connection.prepare(
      """
      INSERT INTO sessions (id, reactor, session, epoch, created, ended, origin, parameters, types)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (reactor, ended, session) DO NOTHING
      """)
    replaceSession = try connection.prepare(
      """
      UPDATE sessions
      SET id = ?2, epoch = ?3, created = ?4, origin = ?5, parameters = ?6, types = ?7, former = -1,
        ended = 0
      WHERE id = ?1
      """)
    endSession = try connection.prepare(
      """
      UPDATE sessions
      SET id = ?2, epoch = '', created = ?3, origin = NULL, parameters = NULL, ended = 1 WHERE id = ?1
      """)
    setSchema = try connection.prepare(
      "UPDATE sessions SET types = ?2, former = ?3 WHERE id = ?1")
    readParameters = try connection.prepare("SELECT parameters FROM sessions WHERE id = ?1")
    insertMutation = try connection.prepare(
      """
      INSERT INTO mutations
        (session, version, at, action, global, revision, mutation, checksum, principal)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    findChecksum = try connection.prepare(
      "SELECT checksum FROM mutations WHERE session = ?1 AND version = ?2")
    putAccepted = try connection.prepare(
      """
      INSERT OR REPLACE INTO accepted
        (session, request, place, at, runs, action, in_array, key, body, failure, principal,
          send_name, context)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """)
    deleteAccepted = try connection.prepare(
      "DELETE FROM accepted WHERE session = ?1 AND request = ?2 AND place = ?3")
    clearRuns = try connection.prepare("UPDATE accepted SET runs = 0 WHERE runs > 0")
    putTimer = try connection.prepare(
      """
      INSERT OR REPLACE INTO timers (session, id, due, action, period, catches_up)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    deleteTimer = try connection.prepare("DELETE FROM timers WHERE session = ?1 AND id = ?2")
    deleteTimers = try connection.prepare("DELETE FROM timers WHERE session = ?1")
    insertFailure = try connection.prepare(
      """
      INSERT OR REPLACE INTO failures (id, reactor, session, at, action, principal, context, failure)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    trimFailures = try connection.prepare(
      """
      DELETE FROM failures WHERE reactor = ?1 AND number <= (
        SELECT number FROM failures WHERE reactor = ?1
        ORDER BY number DESC LIMIT 1 OFFSET \(StoredFailure.limit))
      """)
    deleteFailure = try connection.prepare("DELETE FROM failures WHERE id = ?1 AND session = ?2")
    deleteFailures = try connection.prepare(
      "DELETE FROM failures WHERE reactor = ?1 AND session = ?2")
    insertSnapshot = try connection.prepare(
      """
      INSERT OR REPLACE INTO snapshots (session, version, state, schema, chain, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    // Deletes a snapshot whose neighbours are close to each other, compared with their distance
    // from the end of the log. Deletes none in a log that retention has shortened, where snapshots
    // replace entries.
    thinSnapshots = try connection.prepare(
      """
      DELETE FROM snapshots WHERE session = ?1
        AND EXISTS (SELECT 1 FROM mutations WHERE session = ?1 AND version = 1)
        AND version = (
          SELECT version FROM (
            SELECT version, lag(version) OVER neighbours AS earlier,
              lead(version) OVER neighbours AS later
            FROM snapshots WHERE session = ?1 WINDOW neighbours AS (ORDER BY version))
          WHERE earlier IS NOT NULL AND (later - earlier) * 16 < ?2 - later LIMIT 1)
      """)
    share = try connection.prepare(
      """
      INSERT OR REPLACE INTO shared (name, epoch, version, revision, value)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """)
    markGlobal = try connection.prepare(
      "INSERT OR REPLACE INTO globals (session, name, revision) VALUES (?1, ?2, ?3)")
  }

  /// Stores the failures of a batch, and removes those whose actions ran again.
  func write(
    failuresOf batch: LogBatch, of key: SessionKey, in id: Int64
  ) throws(DatabaseError) {
    for failure in batch.settled { try deleteFailure.execute(failure, id) }
    for failure in batch.failures {
      try insertFailure.execute(
        failure.id, key.reactor, id, failure.at, failure.action, failure.principal,
        failure.context, failure.failure.json)
    }
    if !batch.failures.isEmpty { try trimFailures.execute(key.reactor) }
  }
}

extension WriteStatements {
  /// Writes the latest revision of an observation.
  func mark(_ mark: LogEntry.GlobalMark, in id: Int64) throws(DatabaseError) {
    try markGlobal.execute(id, mark.name, mark.revision)
  }
}
