internal import ReactorLog

/// The statements of a group, which are one transaction.
///
/// Each takes the arrays of its rows. The first four columns name the session of a row, and the stamp that the
/// fence has written to the session's row if the operation is the group's: rows of sessions that were lost are
/// joined with nothing.
struct GroupStatements: Sendable {
  /// A table whose rows belong to the operations of a group.
  enum Part: Int, CaseIterable, Sendable {
    case mutations, globals, accepted, outcomes, timers, failures
    case finished, removedTimers, settled, changes
  }

  /// Moves the heads of the sessions with appends, creates missing ones; and seals the group if all of its
  /// operations are appends.
  let fence: SQL
  let sealedFence: SQL
  /// Seals a group, and returns the stamps of the operations that have changed nothing.
  let seal: SQL
  let create: SQL
  let replaceEnded: SQL
  let end: SQL
  let save: SQL
  let share: SQL
  let trimFailures: SQL
  private let parts: [SQL]

  subscript(part: Part) -> SQL { parts[part.rawValue] }

  /// The statements to prepare.
  var all: [SQL] {
    [fence, sealedFence, seal, create, replaceEnded, end, save, share, trimFailures] + parts
  }

  init(_ schema: String, hasFeed: Bool) {
    let s = schema
    /// The condition that two rows are of the same session.
    func same(_ left: String, _ right: String) -> String {
      "\(left).shard = \(right).shard and \(left).reactor = \(right).reactor "
        + "and \(left).session = \(right).session"
    }

    // The writer's row has the number of the group before, so that the groups of a connection are
    // committed in their order, none without those before it, and none of a connection that was replaced.
    // The division fails otherwise.
    func seal(_ previous: Int, _ number: Int) -> String {
      """
      , lost as (select stamp from batch except select stamp from won),
      sealed as (
        update \(s).writers w set number = $\(number)::int8, committed = $\(number)::int8, lost = array(
            select l from unnest(w.lost) l where l >> 16 > $\(number)::int8 - 8
            union all select stamp from lost)
        where shard = \(ShardMap.common) and id = $1::int8 and number = $\(previous)::int8
        returning 1)
      select stamp from lost union all select 1 / (select count(*) from sealed)
      """
    }

    let fence = """
      with batch as (
        select * from unnest($2::int2[], $3::text[], $4::text[], $5::int8[], $6::text[], $7::int8[],
          $8::int8[], $9::int8[], $10::int8[], $11::bytea[], $12::text[], $13::int8[], $14::int8[])
          as b(shard, reactor, session, stamp, epoch, version, size, first_at, last_at, parameters, types,
            owner, turn)),
      made as (
        insert into \(s).sessions (shard, reactor, session, epoch, version, created, active, parameters,
          types, writer, stamp, born)
        select shard, reactor, session, epoch, size, first_at, last_at, parameters, types, $1::int8, stamp,
          stamp
        from batch where version = 0 on conflict (shard, reactor, session) do nothing returning stamp),
      moved as (
        update \(s).sessions s set version = b.version + b.size, writer = $1::int8, stamp = b.stamp,
          active = case when b.size > 0 then greatest(s.created, b.last_at) else s.active end,
          former = case when b.size > 0 and b.types <> coalesce(s.types, '') then s.version
            else s.former end,
          types = case when b.size > 0 then coalesce(b.types, s.types) else s.types end
        from batch b
        where \(same("s", "b")) and s.epoch = b.epoch and s.version = b.version and not s.ended
          and (b.owner is null or s.writer = $1::int8 or (s.writer = b.owner and s.stamp = b.turn))
        returning s.stamp),
      won as (select stamp from moved union all select stamp from made)
      """
    self.fence = SQL(fence + " select count(*) from won")
    sealedFence = SQL(fence + seal(15, 16))
    self.seal = SQL(
      """
      with batch as (
        select * from unnest($2::int2[], $3::text[], $4::text[], $5::int8[])
          as b(shard, reactor, session, stamp)),
      won as (
        select b.stamp from batch b join \(s).sessions s on \(same("s", "b"))
          and s.writer = $1::int8 and s.stamp = b.stamp
        union all
        select b.stamp from batch b join \(s).shared s on b.reactor = '' and s.shard = b.shard
          and s.name = b.session and s.writer = $1::int8 and s.stamp = b.stamp)
      """ + seal(6, 7))

    func creation(_ conflict: String) -> SQL {
      SQL(
        """
        insert into \(s).sessions as s (shard, reactor, session, stamp, born, epoch, created, active,
          parameters, types, writer)
        select shard, reactor, session, stamp, stamp, epoch, $9::int8, $9::int8, parameters, types, $1::int8
        from unnest($2::int2[], $3::text[], $4::text[], $5::int8[], $6::text[], $7::bytea[], $8::text[])
          as b(shard, reactor, session, stamp, epoch, parameters, types)
        on conflict (shard, reactor, session) do \(conflict)
        """)
    }
    create = creation("nothing")
    replaceEnded = creation(
      """
      update set id = excluded.id, epoch = excluded.epoch, version = 0, created = excluded.created,
        active = excluded.active, ended = false, parameters = excluded.parameters, types = excluded.types,
        former = -1, writer = excluded.writer, stamp = excluded.stamp, born = excluded.born
      where s.ended
      """)
    // The row keeps the last position of the history, for its change.
    end = SQL(
      """
      with batch as (
        select * from unnest($2::int2[], $3::text[], $4::text[], $5::int8[])
          as b(shard, reactor, session, stamp)),
      former as (
        select s.shard, s.reactor, s.session, s.id, b.stamp from batch b join \(s).sessions s
          on \(same("s", "b")) where not s.ended for update of s),
      ended as (
        update \(s).sessions s set ended = true, id = nextval('\(s).histories'), parameters = null,
          writer = $1::int8, stamp = f.stamp
        from former f where \(same("s", "f"))),
      recorded as (
        insert into \(s).sessions (shard, reactor, session, epoch, created, active, ended, writer, stamp)
        select shard, reactor, session, '', $6::int8, $6::int8, true, $1::int8, 0 from batch b
        where not exists (select from \(s).sessions s where \(same("s", "b")))
        on conflict (shard, reactor, session) do nothing),
      timers as (
        delete from \(s).timers t using former f where t.shard = f.shard and t.history = f.id),
      failures as (
        delete from \(s).failures t using former f where t.shard = f.shard and t.history = f.id)
      insert into \(s).removals (shard, history) select shard, id from former
      """)
    save = SQL(
      """
      insert into \(s).snapshots (shard, history, version, state, schema, checksum)
      select s.shard, s.id, b.version, b.state, b.schema, b.checksum
      from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::bytea[], $7::text[],
        $8::int8[]) as b(shard, reactor, session, epoch, version, state, schema, checksum)
      join \(s).sessions s on \(same("s", "b"))
      where not s.ended and s.epoch = b.epoch and b.version between greatest(1, coalesce((
        select max(version) from \(s).snapshots o where o.shard = s.shard and o.history = s.id), 0))
        and s.version
      on conflict (shard, history, version) do update set state = excluded.state, schema = excluded.schema,
        checksum = excluded.checksum
      """)
    let change =
      "(shard, number, kind, reactor, session, epoch, version, first, origin, at, principal)"
    let feed = """
      , counted as (
        update \(s).feed set number = number + (select count(*) from put)
        where shard = \(ShardMap.common) and (select count(*) from put) > 0 returning number)
      insert into \(s).changes \(change)
      select \(ShardMap.common), number, 3, null, $2::text, $3::text, $4::int8, 0, null, $9::int8, null
      from counted returning number
      """
    // The expected revision is that which this process has read or set last; without one, there is no value.
    share = SQL(
      """
      with put as (
        insert into \(s).shared as s (shard, name, epoch, version, revision, value, writer, stamp)
        values (\(ShardMap.common), $2::text, $3::text, $4::int8, $5::int8, $6::bytea, $1::int8, $7::int8)
        on conflict (shard, name) do update set epoch = excluded.epoch, version = excluded.version,
          revision = excluded.revision, value = excluded.value, writer = excluded.writer,
          stamp = excluded.stamp
        where s.revision = $8::int8 returning 1)
      """ + (hasFeed ? feed : " select count(*) from put where $9::int8 is not null"))
    trimFailures = SQL(
      """
      delete from \(s).failures f using (select distinct name from unnest($1::text[]) name) r
      where f.reactor = r.name and f.number <= (
        select number from \(s).failures l where l.reactor = r.name
        order by number desc offset \(StoredFailure.limit) limit 1)
      """)
    parts = Part.allCases.map { part in
      if part == .changes { return SQL(Self.changes(s, into: change)) }
      let table = part.table
      let names = table.columns.map(\.name)
      let arrays = table.columns.indices.map { "$\($0 + 6)::\(table.columns[$0].type)[]" }
      let rows = """
        unnest($2::int2[], $3::text[], $4::text[], $5::int8[], \(arrays.joined(separator: ", ")))
          as b(shard, reactor, session, stamp, \(names.joined(separator: ", ")))
        """
      let owned = "\(same("s", "b")) and s.writer = $1::int8 and s.stamp = b.stamp"
      guard table.isInsertion else {
        let keys = names.map { "t.\($0) = b.\($0)" }.joined(separator: " and ")
        return SQL(
          """
          delete from \(s).\(table.name) t using \(rows) join \(s).sessions s on \(owned)
          where t.shard = s.shard and t.history = s.id and \(keys)
          """)
      }
      let extra = part == .failures ? ", reactor" : ""
      var conflict = ""
      if !table.key.isEmpty {
        let changed = names.filter { !table.key.contains($0) }.map { "\($0) = excluded.\($0)" }
        conflict = """
          on conflict (shard, history, \(table.key.joined(separator: ", "))) do update set
          \(changed.joined(separator: ", "))
          """
      }
      return SQL(
        """
        insert into \(s).\(table.name) (shard, history, \(names.joined(separator: ", "))\(extra))
        select s.shard, s.id, \(names.map { "b.\($0)" }.joined(separator: ", "))\(extra.isEmpty ? "" : ", s.reactor")
        from \(rows) join \(s).sessions s on \(owned) \(conflict)
        """)
    }
  }

  /// Writes the changes of a group, and takes their numbers.
  private static func changes(_ s: String, into columns: String) -> String {
    """
    with c as (
      select b.kind, s.reactor, s.session, s.epoch, coalesce(b.version, s.version) as version, b.first,
        b.origin, b.at, b.principal, row_number() over (order by b.place) as place
      from unnest($2::int2[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
        $9::text[], $10::int8[], $11::bytea[]) with ordinality
        as b(shard, reactor, session, stamp, kind, version, first, origin, at, principal, place)
      join \(s).sessions s on s.shard = b.shard and s.reactor = b.reactor and s.session = b.session
        and s.writer = $1::int8 and s.stamp = b.stamp and (b.kind <> 0 or s.born = b.stamp)),
    counted as (
      update \(s).feed set number = number + (select count(*) from c)
      where shard = \(ShardMap.common) and (select count(*) from c) > 0
      returning number, number - (select count(*) from c) as base),
    written as (
      insert into \(s).changes \(columns)
      select \(ShardMap.common), counted.base + c.place, c.kind, c.reactor, c.session, c.epoch, c.version,
        c.first, c.origin, c.at, c.principal from c cross join counted)
    select number from counted
    """
  }
}

extension GroupStatements.Part {
  /// The statement that inserts rows of a history that no session has yet: the shard and the history, and the
  /// arrays of the columns.
  func insertion(in schema: String) -> SQL {
    let names = table.columns.map(\.name).joined(separator: ", ")
    let arrays = table.columns.indices.map { "$\($0 + 3)::\(table.columns[$0].type)[]" }
    return SQL(
      """
      insert into \(schema).\(table.name) (shard, history, \(names)\(self == .failures ? ", reactor" : ""))
      select $1::int2, $2::int8, b.*\(self == .failures ? ", $\(table.columns.count + 3)::text" : "")
      from unnest(\(arrays.joined(separator: ", "))) as b(\(names))
      """)
  }

  /// The columns beside the shard and the history, and their types.
  fileprivate var table:
    (
      name: String, columns: [(name: String, type: String)], key: [String], isInsertion: Bool
    )
  {
    switch self {
    case .mutations:
      (
        "mutations",
        [
          ("version", "int8"), ("at", "int8"), ("action", "bytea"), ("global", "text"),
          ("revision", "int8"), ("mutation", "bytea"), ("principal", "bytea"), ("checksum", "int8"),
        ], [], true
      )
    case .globals: ("globals", [("name", "text"), ("revision", "int8")], ["name"], true)
    case .accepted:
      (
        "accepted",
        [
          ("request", "int8"), ("place", "int8"), ("at", "int8"), ("runs", "int8"),
          ("action", "bytea"), ("in_array", "bool"), ("key", "bytea"), ("body", "text"),
          ("failure", "bytea"), ("principal", "bytea"), ("send_name", "text"), ("context", "bytea"),
        ], ["request", "place"], true
      )
    case .outcomes:
      (
        "outcomes",
        [
          ("key", "bytea"), ("body", "text"), ("at", "int8"), ("version", "int8"),
          ("failure", "bytea"),
        ], ["key"], true
      )
    case .timers:
      (
        "timers",
        [
          ("id", "text"), ("due", "int8"), ("action", "bytea"), ("period", "int8"),
          ("catches_up", "bool"),
        ], ["id"], true
      )
    case .failures:
      (
        "failures",
        [
          ("id", "text"), ("at", "int8"), ("action", "bytea"), ("principal", "bytea"),
          ("context", "bytea"), ("failure", "bytea"),
        ], ["id"], true
      )
    case .finished: ("accepted", [("request", "int8"), ("place", "int8")], [], false)
    case .removedTimers: ("timers", [("id", "text")], [], false)
    case .settled: ("failures", [("id", "text")], [], false)
    case .changes: ("changes", [], [], true)
    }
  }
}
