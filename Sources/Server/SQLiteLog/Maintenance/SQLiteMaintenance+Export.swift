extension SQLiteMaintenance {
  /// Exports one state of the store as JSON, one object per line: the globals, then each session,
  /// with the latest revisions of globals that its State contains, followed by its snapshots,
  /// mutations, accepted actions, outcomes, timers and failures.
  ///
  /// Can run while a daemon uses the store. Checksums are neither verified nor exported. A row with
  /// damaged JSON is exported as the line `{"damaged":TABLE}`, and the others follow.
  ///
  /// - Parameter write: Receives each line, without its end. An error ends the export.
  /// - Throws: If the store cannot be read, or the error of `write`.
  package func export(_ write: ([UInt8]) throws -> Void) throws {
    let store = try ReadableStore(path)
    defer { withExtendedLifetime(store) {} }
    let connection = try StoreFile(path: store.path).open(for: .reading)
    try connection.execute("BEGIN")
    let sessions = try connection.prepare(
      """
      SELECT id, iif(\(Self.isJSON("parameters")), '{"session":' || json_quote(reactor || '/' || session)
        || ',"epoch":' || json_quote(epoch) || ',"created":' || created
        || iif(parameters IS NULL, '', ',"parameters":' || json(parameters))
        || coalesce((
          SELECT ',"globals":' || json_group_object(name, revision) FROM globals
          WHERE globals.session = id HAVING count(*) > 0), '')
        || iif(ended, ',"ended":true}', '}'),
          '{"damaged":"session","name":' || json_quote(reactor || '/' || session) || '}')
      FROM sessions ORDER BY reactor, ended, session
      """)
    let parts = [
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("state")), '{"snapshot":' || version || ',"state":' || json(state)
          || iif(schema = '', '', ',"schema":' || json_quote(schema)) || '}', NULL), '{"damaged":"snapshots"}')
        FROM snapshots WHERE session = ?1 ORDER BY version
        """),
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("action", "mutation")), '{"version":' || version || ',"at":' || at
          || iif(action IS NULL, '', ',"action":' || json(action))
          || iif(global IS NULL, '',
            ',"global":' || json_quote(global) || ',"revision":' || revision)
          || iif(principal IS NULL, '', ',"by":' || json_quote(principal))
          || ',"mutation":' || json(mutation) || '}', NULL), '{"damaged":"mutations"}')
        FROM mutations WHERE session = ?1 ORDER BY version
        """),
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("action", "failure", "principal", "context")), '{"accepted":' || request || ',"place":' || place || ',"at":' || at
          || ',"runs":' || runs || ',"action":' || json(action)
          || iif(in_array, ',"inArray":true', '')
          || iif(key IS NULL, '', ',"key":' || json_quote(key) || ',"body":' || json_quote(body))
          || iif(failure IS NULL, '', ',"failure":' || json(failure))
          || iif(principal IS NULL, '', ',"principal":' || json(principal))
          || iif(send_name IS NULL, '', ',"sendName":' || json_quote(send_name))
          || iif(context IS NULL, '', ',"context":' || json(context)) || '}', NULL), '{"damaged":"accepted"}')
        FROM accepted WHERE session = ?1 ORDER BY request, place
        """),
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("failure")), '{"outcome":' || json_quote(key) || ',"body":' || json_quote(body) || ',"at":' || at
          || ',"of":' || version
          || iif(failure IS NULL, '', ',"failure":' || json(failure)) || '}', NULL), '{"damaged":"outcomes"}')
        FROM outcomes WHERE session = ?1 ORDER BY at, key
        """),
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("action")), '{"timer":' || json_quote(id) || ',"due":' || due || ',"action":' || json(action)
          || iif(period IS NULL, '', ',"period":' || period)
          || iif(catches_up, ',"catchesUp":true}', '}'), NULL), '{"damaged":"timers"}')
        FROM timers WHERE session = ?1 ORDER BY id
        """),
      try connection.prepare(
        """
        SELECT coalesce(iif(\(Self.isJSON("action", "principal", "context", "failure")), '{"failed":' || json_quote(id) || ',"at":' || at || ',"action":' || json(action)
          || iif(principal IS NULL, '', ',"principal":' || json(principal))
          || iif(context IS NULL, '', ',"context":' || json(context))
          || ',"failure":' || json(failure) || '}', NULL), '{"damaged":"failures"}')
        FROM failures WHERE session = ?1 ORDER BY number
        """),
    ]
    let shared = try connection.prepare(
      """
      SELECT coalesce(iif(\(Self.isJSON("value")), '{"shared":' || json_quote(name) || ',"epoch":' || json_quote(epoch)
        || ',"of":' || version || ',"revision":' || revision || ',"value":' || json(value) || '}', NULL), '{"damaged":"shared","name":' || json_quote(name) || '}')
      FROM shared ORDER BY name
      """)
    while let line = try shared.next(as: [UInt8].self) { try write(line) }
    while let (id, line) = try sessions.next(as: (Int64, [UInt8]).self) {
      try write(line)
      for part in parts {
        try part.bind(id)
        while let line = try part.next(as: [UInt8].self) { try write(line) }
      }
    }
  }

  /// The SQL condition that columns are JSON or `NULL`.
  private static func isJSON(_ columns: String...) -> String {
    columns.map { "(\($0) IS NULL OR json_valid(\($0)))" }.joined(separator: " AND ")
  }
}
