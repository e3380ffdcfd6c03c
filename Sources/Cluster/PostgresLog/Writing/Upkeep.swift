internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Deletes what need not be retained, in small steps on a connection of its own, and reads the number of the
/// last change that other processes have written.
///
/// Several processes can do the same steps: a row that one has deleted is missing for the other.
final class Upkeep: Sendable {
  private struct State {
    var isClosed = false
    /// The schemas of the sessions' new snapshots.
    var saved: [SessionKey: String] = [:]
  }

  /// The maximum number of sessions with a new snapshot; those beyond it wait for the sweep.
  private static let savedBound = 10_000
  /// The pause between two rounds unless a caller wakes the thread, and while changes are retained.
  private static let pauses = (idle: Duration.seconds(60), feed: Duration.milliseconds(500))
  /// The pause after an error.
  private static let failurePause = Duration.seconds(1)

  private let address: PostgresAddress
  private let schema: String
  private let rules: StoreRules
  private let writer: Int64
  private let publisher: ChangePublisher?
  private let state = Mutex(State())
  private let isDue = Semaphore()

  init(
    _ address: PostgresAddress, schema: String, _ rules: StoreRules, for writer: Int64,
    publisher: ChangePublisher?
  ) {
    self.address = address
    self.writer = writer
    self.schema = schema
    self.rules = rules
    self.publisher = publisher
  }

  /// Starts the thread, which ends after ``close()``.
  func start() -> Bool { SystemThread(named: "log-upkeep", { [self] in run() }) != nil }

  func close() {
    state.withLock { $0.isClosed = true }
    isDue.signal()
  }

  /// Begins the next round now.
  func wake() { isDue.signal() }

  /// Records that a session has a new snapshot.
  func didSave(_ key: StoredKey, schema: String) {
    let isNew = state.withLock { state in
      state.saved.count < Self.savedBound
        && state.saved.updateValue(schema, forKey: key.key) == nil
    }
    if isNew { isDue.signal() }
  }

  private func run() {
    var round: UpkeepRound?
    while !state.withLock({ $0.isClosed }) {
      var pause = publisher == nil ? Self.pauses.idle : Self.pauses.feed
      do throws(PostgresError) {
        if round == nil {
          round = UpkeepRound(try PostgresConnection.open(address), schema, rules, writer)
        }
        let saved = state.withLock { state in
          defer { state.saved = [:] }
          return state.saved
        }
        try round?.run(saved) { self.state.withLock { $0.isClosed } }
        if let publisher, let latest = try round?.latestChange() { publisher.publish(latest) }
      } catch {
        // The writer and the readers report that the database cannot be used.
        round = nil
        pause = Self.failurePause
      }
      _ = isDue.wait(for: pause)
    }
  }
}

/// The steps of the upkeep on one connection.
struct UpkeepRound {
  private static let rowsPerStep = 2000
  /// The intervals of sweeps over all sessions, and over outcomes and changes.
  private static let (sweep, expiry) = (Duration.seconds(86_400), Duration.seconds(60))
  private static let timeout: Int64 = 60_000

  private let connection: PostgresConnection
  private let s: String
  private let rules: StoreRules
  private let writer: Int64
  private let map = ShardMap()
  /// The value of ``ReadableSchemas/changes`` when the last sweep began.
  private var swept = 0
  // On the monotonic clock, because the wall clock can be set.
  private var sweepIsDue = ContinuousClock.now
  private var expiryIsDue = ContinuousClock.now

  init(_ connection: PostgresConnection, _ schema: String, _ rules: StoreRules, _ writer: Int64) {
    self.connection = connection
    self.writer = writer
    s = schema
    self.rules = rules
  }

  @discardableResult
  private func execute(
    _ text: String, _ parameters: Parameters = Parameters()
  ) throws(PostgresError) -> Rows {
    try connection.execute(
      SQL(text), parameters, deadline: Clock.milliseconds + Self.timeout)
  }

  func latestChange() throws(PostgresError) -> Int? {
    try execute("select number from \(s).feed where shard = \(ShardMap.common)").first(
      as: Int.self)
  }

  /// Does everything that is due.
  mutating func run(
    _ saved: [SessionKey: String], until isEnded: () -> Bool
  ) throws(PostgresError) {
    for (key, schema) in saved where !isEnded() { try trim(key, schema: schema) }
    while !isEnded(), try deleteSomeOfEndedHistory() {}
    let now = ContinuousClock.now
    if now >= expiryIsDue {
      try deleteExpired(until: isEnded)
      try deleteEndedWriters()
      expiryIsDue =
        now
        + min(
          Self.expiry, rules.outcomeRetention,
          rules.changeRetention > .zero
            ? rules.changeRetention : Self.expiry)
    }
    let changes = rules.schemas.changes
    if changes != swept || changes > 0 && now >= sweepIsDue {
      (swept, sweepIsDue) = (changes, now + Self.sweep)
      try sweep(until: isEnded)
    }
  }

  // MARK: Ended histories

  private func deleteSomeOfEndedHistory() throws(PostgresError) -> Bool {
    guard
      let (shard, history) = try execute("select shard, history from \(s).removals limit 1").first(
        as: (Int64, Int64).self)
    else { return false }
    let own = "shard = $1::int2 and history = $2::int8"
    let key = Parameters.of(Int16(truncatingIfNeeded: shard), history)
    for (table, column) in [
      ("mutations", "version"), ("snapshots", "version"), ("outcomes", "key"),
    ] {
      let deleted = try execute(
        """
        delete from \(s).\(table) where \(own) and \(column) in (
          select \(column) from \(s).\(table) where \(own) order by \(column) limit \(Self.rowsPerStep))
        """, key)
      if deleted.changeCount > 0 { return true }
    }
    for table in ["globals", "accepted", "removals"] {
      try execute("delete from \(s).\(table) where \(own)", key)
    }
    return true
  }

  // MARK: Retention

  private func trim(_ key: SessionKey, schema: String) throws(PostgresError) {
    let row = try execute(
      """
      select id, version from \(s).sessions
      where shard = $1::int2 and reactor = $2::text and session = $3::text and not ended
      """, .of(map.shard(of: key), key.reactor, key.id)
    ).first(as: (Int64, Int).self)
    guard let (history, version) = row else { return }
    try trim(map.shard(of: key), history, at: version, of: key.reactor, schema: schema)
  }

  /// Deletes the entries of a history that a retained snapshot makes redundant.
  ///
  /// Only a snapshot of the schema replaces entries, because another one may not be decodable.
  private func trim(
    _ shard: Int16, _ history: Int64, at version: Int, of reactor: String, schema: String
  ) throws(PostgresError) {
    let own = "shard = $1::int2 and history = $2::int8"
    let found: Rows
    switch rules.retention[reactor] {
    case .all: return try thin(shard, history, at: version)
    case .versions(let count):
      found = try execute(
        """
        select max(version) from \(s).snapshots
        where \(own) and version <= $3::int8 and schema = $4::text
        """, .of(shard, history, version - max(count, 1), schema))
    case .days(let count):
      found = try execute(
        """
        select max(n.version) from \(s).snapshots n
        join \(s).mutations m on m.shard = n.shard and m.history = n.history and m.version = n.version
        where n.shard = $1::int2 and n.history = $2::int8 and n.version < $3::int8
          and n.schema = $4::text and m.at < $5::int8
        """,
        .of(
          shard, history, version, schema,
          Timestamp.now.milliseconds - Int64(count) * 86_400_000))
    }
    guard let base = try found.first(as: Int?.self) ?? nil else {
      return try thin(shard, history, at: version)
    }
    while try execute(
      """
      delete from \(s).mutations where \(own) and version <= least($3::int8, (
        select min(version) + \(Self.rowsPerStep) from \(s).mutations where \(own)))
      """, .of(shard, history, base)
    ).changeCount > 0 {}
    try execute(
      "delete from \(s).snapshots where \(own) and version < $3::int8", .of(shard, history, base))
  }

  /// Deletes a snapshot whose neighbours are close to each other, compared with their distance from the end of
  /// the log.
  ///
  /// Deletes none in a log that retention has shortened, where snapshots replace entries.
  private func thin(
    _ shard: Int16, _ history: Int64, at version: Int
  ) throws(PostgresError) {
    let own = "shard = $1::int2 and history = $2::int8"
    try execute(
      """
      delete from \(s).snapshots where \(own)
        and exists (select from \(s).mutations where \(own) and version = 1)
        and version = (
          select version from (
            select version, lag(version) over (order by version) as earlier,
              lead(version) over (order by version) as later
            from \(s).snapshots where \(own)) n
          where earlier is not null and (later - earlier) * 16 < $3::int8 - later limit 1)
      """, .of(shard, history, version))
  }

  /// Trims the sessions that are not written to, or whose reactors are hosted with other types.
  private func sweep(until isEnded: () -> Bool) throws(PostgresError) {
    guard rules.retention.standard != .all || !rules.retention.byReactor.isEmpty else { return }
    var last = Int64.min
    while !isEnded() {
      let page = try execute(
        """
        select shard, id, reactor, version from \(s).sessions
        where id > $1::int8 and not ended order by id limit 200
        """, .of(last)
      ).map(as: (Int64, Int64, String, Int).self) { ($0, $1, $2, $3) }
      guard let end = page.last else { return }
      for (shard, id, reactor, version) in page where rules.retention[reactor] != .all {
        guard let schema = rules.schemas[reactor] else { continue }
        try trim(
          Int16(truncatingIfNeeded: shard), id, at: version, of: reactor, schema: schema)
      }
      last = end.1
    }
  }

  /// Deletes the rows of processes that have ended a day ago: no connection of theirs can need the fate of a group.
  private func deleteEndedWriters() throws(PostgresError) {
    let writers = "\(s).writers where shard = \(ShardMap.common)"
    // A group locks its row for as long as its commit takes: change it once per hour.
    try execute(
      """
      update \(s).writers set seen = now()
      where shard = \(ShardMap.common) and id = $1::int8 and seen < now() - interval '1 hour'
      """, .of(writer))
    try execute(
      "delete from \(writers) and id <> $1::int8 and seen < now() - interval '1 day'", .of(writer))
  }

  private mutating func deleteExpired(until isEnded: () -> Bool) throws(PostgresError) {
    let now = Timestamp.now.milliseconds
    func deleteOutcomes(_ condition: String, _ parameters: Parameters) throws(PostgresError) -> Int
    {
      try execute(
        """
        delete from \(s).outcomes where (shard, history, key) in (
          select shard, history, key from \(s).outcomes \(condition))
        """, parameters
      ).changeCount
    }
    while !isEnded(),
      try deleteOutcomes(
        "where at <= $1::int8 order by at limit \(Self.rowsPerStep)",
        .of(now - rules.outcomeRetention.retainedMilliseconds)) > 0
    {}
    let count = try execute("select count(*) from \(s).outcomes").first(as: Int.self) ?? 0
    var surplus = count - rules.outcomeBound
    while !isEnded(), surplus > 0 {
      // The session with the most outcomes pays, so that its keys do not displace those of others.
      let deleted = try deleteOutcomes(
        """
        where (shard, history) = (
          select shard, history from \(s).outcomes group by 1, 2 order by count(*) desc limit 1)
        order by at limit $1::int8
        """, .of(min(surplus, Self.rowsPerStep)))
      guard deleted > 0 else { break }
      surplus -= deleted
    }
    // The last change is retained, and those before the first one that must be, so that the rest has no gap.
    let changes = "\(s).changes where shard = \(ShardMap.common)"
    let bound =
      rules.changeRetention > .zero
      ? now - rules.changeRetention.retainedMilliseconds : Int64.max
    while !isEnded(),
      try execute(
        """
        delete from \(changes) and number < (select max(number) from \(changes)) and number < coalesce((
          select min(number) from \(changes) and at > $1::int8), \(Int64.max)) and number < (
          select min(number) + \(Self.rowsPerStep) from \(changes))
        """, .of(bound)
      ).changeCount > 0
    {}
  }
}
