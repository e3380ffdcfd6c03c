internal import ReactorLog
internal import SystemThreads

/// The fate of a writer's groups, read after it has connected again.
struct Registration: Sendable {
  /// The number of the last committed group.
  ///
  /// No group of an earlier connection is committed any more.
  let committed: Int64

  /// The stamps of the writes of the last groups that have changed nothing.
  let lost: Set<Int64>

  /// The number of the writer's row from now on.
  let number: Int64

  /// The number of the last change.
  let latestChange: Int

  /// Registers a writer; ends the transaction of an earlier connection.
  ///
  /// The server can execute it without an end, because it has not seen that the connection has ended.
  ///
  /// The row gets another number, but retains the number of the last committed group: the connection can be lost
  /// before the result arrives. So the groups fail which the server has received from earlier
  /// connections and has not begun.
  init(
    _ writer: Int64, named name: String, at connection: PostgresConnection, schema: String,
    deadline: Int64
  ) throws(PostgresError) {
    let table = "\(schema).writers"
    // Only a group of this writer changes its row.
    try connection.execute(
      SQL(
        """
        select pg_terminate_backend(l.pid) from \(table) w join pg_catalog.pg_locks l
          on l.locktype = 'transactionid' and l.granted and l.transactionid = w.xmax
        where w.shard = \(ShardMap.common) and w.id = $1::int8
        """), .of(writer), deadline: deadline)
    try connection.execute(
      SQL(
        """
        insert into \(table) (shard, id, name, number) values (\(ShardMap.common), $1::int8, $2::text, 0)
        on conflict (shard, id) do nothing
        """), .of(writer, name), deadline: deadline)
    let rows = try connection.execute(
      SQL(
        """
        with former as (
          select number, committed, lost from \(table) where shard = \(ShardMap.common) and id = $1::int8 for update)
        update \(table) w set number = former.number + 1000 from former
        where w.shard = \(ShardMap.common) and w.id = $1::int8
        returning former.committed, former.lost, w.number, (select number from \(schema).feed)
        """), .of(writer), deadline: deadline)
    guard
      let (committed, lost, number, latest) = try rows.first(
        as: (Int64, ArrayValue<Int64>, Int64, Int).self)
    else { throw .lost("the database has no row of this process") }
    self.committed = committed
    self.lost = Set(lost.elements)
    self.number = number
    latestChange = latest
  }
}
