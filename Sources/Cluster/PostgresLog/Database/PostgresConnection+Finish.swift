extension PostgresConnection {
  /// Resets the numbers of runs of the accepted actions that a writer has stored, because an orderly shutdown
  /// does not count as a failed run.
  ///
  /// All results of the pipeline must have been received.
  func finish(_ writer: Int64, schema s: String, deadline: Int64) throws(PostgresError) {
    try endPipeline()
    try execute(
      SQL(
        """
        update \(s).accepted a set runs = 0 from \(s).sessions s
        where s.shard = a.shard and s.id = a.history and s.writer = $1::int8 and a.runs > 0
        """), .of(writer), deadline: deadline)
  }
}
