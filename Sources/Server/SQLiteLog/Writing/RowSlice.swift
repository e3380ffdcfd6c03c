internal import ReactorLog

/// Finds how many rows of a history are one slice of work, by their bytes: rows can be of any size.
struct RowSlice {
  private let sizes: Statement

  /// Prepares the statement.
  ///
  /// - Parameters:
  ///   - table: `mutations` or `snapshots`.
  ///   - columns: The columns whose bytes are counted.
  ///   - connection: The writer's connection.
  /// - Throws: If the database fails.
  init(_ table: String, of columns: String..., in connection: SQLiteConnection)
    throws(DatabaseError)
  {
    let size = columns.map { "coalesce(length(CAST(\($0) AS BLOB)), 0)" }.joined(separator: " + ")
    sizes = try connection.prepare(
      """
      SELECT version, \(size) FROM \(table) WHERE session = ?1 AND version > ?2 AND version <= ?3
      ORDER BY version LIMIT ?4
      """)
  }

  /// Returns the last version of the next rows, or `nil` if there are none.
  ///
  /// - Parameters:
  ///   - id: The history.
  ///   - start: The version before the first row.
  ///   - version: The last version.
  ///   - rows: The maximum number of rows.
  ///   - bytes: The number of bytes that remain; the bytes of the rows are subtracted. At least one row
  ///     is found, whatever its size.
  /// - Returns: The version, and whether more rows may follow.
  /// - Throws: If the database fails.
  func next(
    of id: Int64, after start: Int, upTo version: Int, atMost rows: Int, _ bytes: inout Int
  ) throws(DatabaseError) -> (version: Int, hasMore: Bool)? {
    try sizes.bind(id, start, version, rows)
    defer { sizes.reset() }
    var count = 0
    var last: Int?
    while count == 0 || bytes > 0, let (version, size) = try sizes.next(as: (Int, Int).self) {
      count += 1
      last = version
      bytes -= size
    }
    return last.map { ($0, bytes <= 0 || count == rows) }
  }
}
