internal import ReactorLog

/// The statements of readers.
struct ReadStatements: Sendable {
  let record: SQL
  let sessions: SQL
  let entries: SQL
  let hasEarlierEntries: SQL
  let hasFirstEntry: SQL
  let snapshot: SQL
  let anySnapshot: SQL
  let shared: SQL
  let accepted: SQL
  let outcome: SQL
  let unfinished: SQL
  let timers: SQL
  let dueTimers: SQL
  let nextTimer: SQL
  let countTimers: SQL
  let failures: SQL
  let changes: SQL
  let oldestChange: SQL
  let latestChange: SQL
  let writer: SQL
  let confirm: SQL = "select 1::int8"

  init(_ s: String) {
    let session = "shard = $1::int2 and reactor = $2::text and session = $3::text"
    /// The condition that a row belongs to the history of the session that has not ended.
    let own = """
      shard = $1::int2 and history = (select id from \(s).sessions where \(session) and not ended)
      """
    let epoch = "select epoch from \(s).sessions where \(session)"
    record = SQL(
      """
      select ended, epoch, version, active, id, writer, stamp, parameters, types, former,
        exists (select from \(s).accepted a where a.shard = s.shard and a.history = s.id),
        exists (select from \(s).timers t where t.shard = s.shard and t.history = s.id),
        array(select name from \(s).globals g where g.shard = s.shard and g.history = s.id order by name),
        array(select revision from \(s).globals g where g.shard = s.shard and g.history = s.id order by name)
      from \(s).sessions s where \(session)
      """)
    sessions = SQL(
      """
      select session, epoch, version, active from \(s).sessions
      where reactor = $1::text and session > $2::text and not ended order by session limit $3::int8
      """)
    // A page ends after four megabytes.
    entries = SQL(
      """
      select version, at, action, global, revision, mutation, principal, checksum, (\(epoch)) from (
        select *, sum(octet_length(mutation) + coalesce(octet_length(action), 0))
          over (order by version) - octet_length(mutation) as size
        from (
          select * from \(s).mutations where \(own) and version > $4::int8
          order by version limit $5::int8) page) sized
      where size < 4194304 order by version
      """)
    hasEarlierEntries = SQL(
      "select exists (select from \(s).mutations where \(own) and version <= $4::int8)")
    hasFirstEntry = SQL("select exists (select from \(s).mutations where \(own) and version = 1)")
    let snapshots = """
      select version, state, schema, checksum, (\(epoch)) from \(s).snapshots where \(own) and version <= $4::int8
      """
    let latest = "order by version desc limit 1"
    snapshot = SQL("\(snapshots) and schema = $5::text \(latest)")
    anySnapshot = SQL("\(snapshots) \(latest)")
    shared = SQL(
      """
      select epoch, version, revision, value from \(s).shared
      where shard = \(ShardMap.common) and name = $1::text
      """)
    accepted = SQL(
      """
      select request, place, at, runs, action, in_array, key, body, failure, principal, send_name, context
      from \(s).accepted where \(own) order by request, place
      """)
    outcome = SQL(
      """
      select key, body, at, version, failure from \(s).outcomes
      where \(own) and key in ($4::bytea, $5::bytea) order by key limit 1
      """)
    // Few sessions have accepted actions.
    unfinished = SQL(
      """
      select s.reactor, s.session from (select distinct shard, history from \(s).accepted) a
      join \(s).sessions s on s.shard = a.shard and s.id = a.history
      where (s.reactor, s.session) > ($1::text, $2::text) and not s.ended
      order by s.reactor, s.session limit $3::int8
      """)
    timers = SQL("select id, due, action, period, catches_up from \(s).timers where \(own)")
    dueTimers = SQL(
      """
      select s.reactor, s.session, t.due, t.history, t.id from \(s).timers t
      join \(s).sessions s on s.shard = t.shard and s.id = t.history
      where (t.due, t.history, t.id) > ($1::int8, $2::int8, $3::text) and t.due <= $4::int8 and not s.ended
      order by t.due, t.history, t.id limit $5::int8
      """)
    nextTimer = SQL(
      """
      select due from \(s).timers where due > $1::int8 and due <= \(StoredValues.times.upperBound)
      order by due limit 1
      """)
    countTimers = SQL("select count(*) from \(s).timers")
    failures = SQL(
      """
      select f.id, s.session, f.at, f.action, f.principal, f.context, f.failure from \(s).failures f
      join \(s).sessions s on s.shard = f.shard and s.id = f.history
      where f.reactor = $1::text order by f.number desc limit \(StoredFailure.limit)
      """)
    changes = SQL(
      """
      select number, kind, reactor, session, epoch, version, first, origin, at, principal
      from \(s).changes where shard = \(ShardMap.common) and number > $1::int8 and number <= $2::int8
      order by number limit $3::int8
      """)
    oldestChange = SQL(
      """
      select number from \(s).changes where shard = \(ShardMap.common) order by number limit 1
      """)
    latestChange = SQL("select number from \(s).feed where shard = \(ShardMap.common)")
    writer = SQL(
      """
      select w.name, w.id from \(s).sessions s join \(s).writers w
      on w.shard = \(ShardMap.common) and w.id = s.writer
      where s.shard = $1::int2 and s.reactor = $2::text and s.session = $3::text
      """)
  }
}
