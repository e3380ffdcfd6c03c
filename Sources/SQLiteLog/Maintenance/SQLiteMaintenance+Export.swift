internal import ReactorHost

extension SQLiteMaintenance {
  /// Writes all that is stored as JSON, an object a line: the shared values, then each session, then its snapshots, its mutations
  /// in order, the accepted actions that go on, and the answers of its idempotency keys.
  ///
  /// Runs beside a daemon, and sees one moment of the store.
  ///
  /// - Parameter write: Takes a line, without its end. What it throws ends the export.
  /// - Throws: Where the store cannot be read, or what `write` throws.
  public func export(_ write: ([UInt8]) throws -> Void) throws {
    let connection = try file.open(for: .reading)
    try connection.execute("BEGIN")
    let sessions = try connection.prepare(
      """
      SELECT id, '{"session":' || json_quote(reactor || '/' || session)
        || ',"epoch":' || json_quote(epoch) || ',"created":' || created
        || iif(ended, ',"ended":true}', '}')
      FROM sessions ORDER BY reactor, session
      """)
    let parts = [
      try connection.prepare(
        """
        SELECT '{"snapshot":' || version || ',"state":' || json(state)
          || iif(schema = '', '', ',"schema":' || json_quote(schema)) || '}'
        FROM snapshots WHERE session = ?1 ORDER BY version
        """),
      try connection.prepare(
        """
        SELECT '{"version":' || version || ',"at":' || at
          || iif(action IS NULL, '', ',"action":' || json(action))
          || iif(global IS NULL, '',
            ',"global":' || json_quote(global) || ',"revision":' || revision)
          || ',"mutation":' || json(mutation) || '}'
        FROM mutations WHERE session = ?1 ORDER BY version
        """),
      try connection.prepare(
        """
        SELECT '{"accepted":' || request || ',"place":' || place || ',"at":' || at
          || ',"runs":' || runs || ',"action":' || json(action)
          || iif(in_array, ',"inArray":true', '')
          || iif(key IS NULL, '', ',"key":' || json_quote(key) || ',"body":' || json_quote(body))
          || iif(failure IS NULL, '', ',"failure":' || json(failure)) || '}'
        FROM accepted WHERE session = ?1 ORDER BY request, place
        """),
      try connection.prepare(
        """
        SELECT '{"outcome":' || json_quote(key) || ',"body":' || json_quote(body) || ',"at":' || at
          || ',"of":' || version
          || iif(failure IS NULL, '', ',"failure":' || json(failure)) || '}'
        FROM outcomes WHERE session = ?1 ORDER BY at, key
        """),
    ]
    let shared = try connection.prepare(
      """
      SELECT '{"shared":' || json_quote(name) || ',"epoch":' || json_quote(epoch)
        || ',"of":' || version || ',"revision":' || revision || ',"value":' || json(value) || '}'
      FROM shared ORDER BY name
      """)
    while try shared.step() { try write(shared.bytes(0) ?? []) }
    while try sessions.step() {
      try write(sessions.bytes(1) ?? [])
      for part in parts {
        try part.bind(1, sessions.integer(0))
        while try part.step() { try write(part.bytes(0) ?? []) }
      }
    }
  }
}
