internal import Glibc
internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Copies histories, each in a transaction on a connection of its own, so that no other write waits.
///
/// A copy pauses after each slice: together, the copies of a process occupy less than one processor of the
/// database.
final class ForkRunner: Sendable {
  struct Fork: Sendable {
    let source: StoredKey
    let cursor: Cursor
    let target: StoredKey
    let epoch: String
    let parameters: [UInt8]?
    let types: String?
  }

  /// The maximum time of a copy.
  private static let timeout = Duration.seconds(1200)

  private let database: Database
  /// Connections beside those of readers, so that long copies delay no read.
  private let connections: ReadConnections
  private let hasFeed: Bool
  /// The number of running copies.
  private let copies = Atomic<Int>(0)

  init(_ database: Database, hasFeed: Bool) {
    self.database = database
    connections = ReadConnections(
      database.writer.address, wait: database.writer.wait, timeout: Self.timeout, size: 4)
    self.hasFeed = hasFeed
  }

  func close() { connections.close() }

  /// Copies a history on a thread of its own.
  func run(_ fork: Fork) async throws(LogError) {
    try await withCheckedContinuation { continuation in
      let thread = SystemThread(named: "log-fork") { [self] in
        continuation.resume(returning: Result { () throws(LogError) in try copy(fork) })
      }
      guard thread == nil else { return }
      continuation.resume(
        returning: .failure(LogError.unavailable("There is no thread for the copy.")))
    }.get()
  }

  private func copy(_ fork: Fork) throws(LogError) {
    var mayBeStored = false
    do throws(LogError) {
      let isStored = try connections.read { (connection, deadline) throws(PostgresError) in
        try copy(fork, connection, deadline, &mayBeStored)
      }
      guard isStored else { throw .conflict }
    } catch .unavailable where mayBeStored {
      throw .unknown
    }
  }

  /// Copies rows, the latest ones first and as many at a time as take 5 ms, with pauses.
  ///
  /// A pause is as long as the slice before it, times the number of copies. Retention can delete the earliest
  /// rows meanwhile: in this order it leaves no gap.
  ///
  /// - Parameters:
  ///   - end: The version after those to copy.
  ///   - copy: Copies up to a number of rows before a version; returns the first one, or `nil` if there was none.
  /// - Throws: The error of a copy.
  private func copyInSlices(
    before end: Int,
    _ copy: (_ end: Int, _ count: Int) throws(PostgresError) -> Int?
  ) throws(PostgresError) {
    copies.add(1, ordering: .relaxed)
    defer { copies.subtract(1, ordering: .relaxed) }
    var (end, count) = (end, 16)
    while true {
      let start = ContinuousClock.now
      guard let first = try copy(end, count) else { return }
      let time = ContinuousClock.now - start
      end = first
      count = max(1, Int(min(Double(count) * (WorkSlice.time / time), 2 * Double(count), 1000)))
      usleep(UInt32(min(time * copies.load(ordering: .relaxed), .seconds(1)) / .microseconds(1)))
    }
  }

  /// Copies a history.
  ///
  /// - Returns: `false` if the source or the target does not permit it.
  private func copy(
    _ fork: Fork, _ connection: PostgresConnection, _ deadline: Int64, _ mayBeStored: inout Bool
  ) throws(PostgresError) -> Bool {
    let s = database.schema
    func rows(_ text: String, _ parameters: Parameters) throws(PostgresError) -> Rows {
      try connection.execute(SQL(text), parameters, deadline: deadline)
    }
    let key = "shard = $1::int2 and reactor = $2::text and session = $3::text"
    try connection.executeScript("begin", deadline: deadline)
    func end(_ result: Bool) throws(PostgresError) -> Bool {
      try connection.executeScript(result ? "commit" : "rollback", deadline: deadline)
      return result
    }
    let target = try rows(
      "select ended, epoch from \(s).sessions where \(key)", fork.target.parameters)
    if let (isEnded, epoch) = try target.first(as: (Bool, String).self), !isEnded {
      // An earlier attempt may have been committed when its connection was lost.
      return try end(epoch == fork.epoch)
    }
    // The lock lets the source be written, and not end.
    let found = try rows(
      "select id, ended, epoch, parameters from \(s).sessions where \(key) for key share",
      fork.source.parameters)
    let source = try found.first(as: (Int64, Bool, String, [UInt8]?).self)
    if let (_, isEnded, epoch, _) = source, isEnded || epoch != fork.cursor.epoch {
      return try end(false)
    }
    guard let id = try rows("select nextval('\(s).histories')", Parameters()).first(as: Int64.self)
    else { throw .damaged("a sequence") }
    let (shard, version) = (fork.target.shard, fork.cursor.version)
    if let (history, _, _, _) = source {
      // Mutations first: a snapshot that retention deletes meanwhile is replaced by a later one.
      // A checksum is combined with that of the history's name.
      let difference = EntryChain.seed(fork.cursor.epoch) ^ EntryChain.seed(fork.epoch)
      var copied = [("mutations", "version, at, action, global, revision, mutation, principal")]
      if fork.parameters == nil { copied.append(("snapshots", "version, state, schema")) }
      for (table, columns) in copied {
        let statement = """
          with copied as (
            insert into \(s).\(table) (shard, history, \(columns), checksum)
            select $1::int2, $2::int8, \(columns), checksum # $6::int8 from \(s).\(table)
            where shard = $3::int2 and history = $4::int8 and version < $5::int8
            order by version desc limit $7::int8 returning version)
          select min(version) from copied
          """
        try copyInSlices(before: version + 1) { (end, count) throws(PostgresError) in
          let copied = try rows(
            statement, .of(shard, id, fork.source.shard, history, end, difference, count))
          return try copied.first(as: Int?.self) ?? nil
        }
      }
      // Revisions that neither a copied nor a later entry has set come from entries that retention has deleted.
      _ = try rows(
        """
        insert into \(s).globals (shard, history, name, revision)
        select $1::int2, $2::int8, name, revision from (
          select distinct on (global) global as name, revision from \(s).mutations
          where shard = $1::int2 and history = $2::int8 and global is not null
          order by global, version desc) own
        union all
        select $1::int2, $2::int8, name, revision from \(s).globals g
        where shard = $3::int2 and history = $4::int8
          and not exists (
            select from \(s).mutations
            where shard = $1::int2 and history = $2::int8 and (version = 1 or global = g.name))
          and not exists (
            select from \(s).mutations m
            where m.shard = $3::int2 and m.history = $4::int8 and m.global = g.name)
        """, .of(shard, id, fork.source.shard, history))
    }
    // The copied rows end with the version, and begin with version 1 or after a snapshot.
    let readable = try rows(
      """
      select greatest(last, snapshot) = $3::int8 and (first <= 1 or snapshot >= first - 1) from (
        select coalesce(min(version), 0) as first, coalesce(max(version), 0) as last
        from \(s).mutations where shard = $1::int2 and history = $2::int8) m, (
        select coalesce(max(version), 0) as snapshot
        from \(s).snapshots where shard = $1::int2 and history = $2::int8) n
      """, .of(shard, id, version))
    guard try readable.isTrue() else { return try end(false) }
    let inherited = source.flatMap { $0.3 }
    var parameters = fork.target.parameters
    for value in [id, Int64(version), Timestamp.now.milliseconds] { parameters.add(value) }
    parameters.add(fork.epoch)
    parameters.add(fork.parameters ?? inherited)
    parameters.add(fork.types)
    parameters.add(database.writer.context.writer)
    parameters.add(Int64.random(in: Int64.min ... -1))
    let made = try rows(
      """
      insert into \(s).sessions as s (shard, reactor, session, id, version, created, active, epoch,
        parameters, types, writer, stamp)
      values ($1::int2, $2::text, $3::text, $4::int8, $5::int8, $6::int8, $6::int8, $7::text, $8::bytea,
        $9::text, $10::int8, $11::int8)
      on conflict (shard, reactor, session) do update set id = excluded.id, version = excluded.version,
        created = excluded.created, active = excluded.active, epoch = excluded.epoch, ended = false,
        parameters = excluded.parameters, types = excluded.types, former = -1,
        writer = excluded.writer, stamp = excluded.stamp, born = 0
      where s.ended
      """, parameters)
    guard made.changeCount > 0 else { return try end(false) }
    if hasFeed {
      _ = try rows(
        """
        with n as (
          update \(s).feed set number = number + 1 where shard = \(ShardMap.common) returning number)
        insert into \(s).changes (shard, number, kind, reactor, session, epoch, version, first, origin, at)
        select \(ShardMap.common), number, 0, $1::text, $2::text, $3::text, $4::int8, $4::int8, $5::text,
          $6::int8 from n
        """,
        .of(
          fork.target.key.reactor, fork.target.key.id, fork.epoch, version, fork.source.key.id,
          Timestamp.now))
    }
    mayBeStored = true
    let result = try end(true)
    if hasFeed { database.upkeep.wake() }
    return result
  }
}
