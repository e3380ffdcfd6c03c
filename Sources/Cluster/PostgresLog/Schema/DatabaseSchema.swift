internal import ReactorLog

/// The tables and their migrations.
///
/// The same tables as those of a store in a file, with these differences: the key of each table begins with the
/// shard, so that the tables can be distributed; the end of a history is in the row of its session, because
/// several processes write; JSON and free text are `bytea`, because `text` rejects some of the texts that a
/// store in a file accepts. The view `log` is for people.
enum DatabaseSchema {
  /// The version of the tables that this release uses.
  static var version: Int { migrations(in: "").count }

  /// The name of a schema in SQL.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// The statements that create the tables of each version from those of the version before.
  ///
  /// A released migration is never edited; changes are appended.
  static func migrations(in schema: String) -> [String] {
    [
      """
      -- The ids of histories: a session that is created again has another one.
      create sequence \(schema).histories;

      -- One row per session, ended ones included: its history and the history's end. Each write of the session
      -- changes its writer and its stamp, which is greater than the earlier ones of this writer.
      create table \(schema).sessions (
        shard smallint not null,
        reactor text collate "C" not null,
        session text collate "C" not null,
        id bigint not null default nextval('\(schema).histories'),
        epoch text not null,
        version bigint not null default 0,
        created bigint not null,
        active bigint not null,
        ended boolean not null default false,
        parameters bytea,
        types text,
        former bigint not null default -1,
        writer bigint not null,
        stamp bigint not null,
        born bigint not null default 0,
        primary key (shard, reactor, session)
      ) with (fillfactor = 60);
      create unique index sessions_by_history on \(schema).sessions (id, shard);
      create index sessions_by_name on \(schema).sessions (reactor, session) where not ended;

      -- The checksums of mutations and snapshots: EntryChain.
      create table \(schema).mutations (
        shard smallint not null,
        history bigint not null,
        version bigint not null,
        at bigint not null,
        action bytea,
        global text,
        revision bigint,
        mutation bytea not null,
        principal bytea,
        checksum bigint not null,
        primary key (shard, history, version)
      );

      create table \(schema).snapshots (
        shard smallint not null,
        history bigint not null,
        version bigint not null,
        state bytea not null,
        schema text not null default '',
        checksum bigint not null,
        primary key (shard, history, version)
      );

      -- The latest revision of each global that has caused a mutation of a session.
      create table \(schema).globals (
        shard smallint not null,
        history bigint not null,
        name text collate "C" not null,
        revision bigint not null,
        primary key (shard, history, name)
      );

      -- Ended histories, whose rows are deleted in batches.
      create table \(schema).removals (
        shard smallint not null,
        history bigint not null,
        primary key (shard, history)
      );

      create table \(schema).accepted (
        shard smallint not null,
        history bigint not null,
        request bigint not null,
        place bigint not null,
        at bigint not null,
        runs bigint not null,
        action bytea not null,
        in_array boolean not null,
        key bytea,
        body text,
        failure bytea,
        principal bytea,
        send_name text,
        context bytea,
        primary key (shard, history, request, place)
      );

      create table \(schema).outcomes (
        shard smallint not null,
        history bigint not null,
        key bytea not null,
        body text not null,
        at bigint not null,
        version bigint not null,
        failure bytea,
        primary key (shard, history, key)
      );
      create index outcomes_by_age on \(schema).outcomes (at);

      create table \(schema).timers (
        shard smallint not null,
        history bigint not null,
        id text collate "C" not null,
        due bigint not null,
        action bytea not null,
        period bigint,
        catches_up boolean not null,
        primary key (shard, history, id)
      );
      -- The order of TimerPosition.
      create index timers_by_due on \(schema).timers (due, history, id);

      create sequence \(schema).failure_numbers;
      create table \(schema).failures (
        shard smallint not null,
        history bigint not null,
        id text collate "C" not null,
        number bigint not null default nextval('\(schema).failure_numbers'),
        reactor text collate "C" not null,
        at bigint not null,
        action bytea not null,
        principal bytea,
        context bytea,
        failure bytea not null,
        primary key (shard, history, id)
      );
      create index failures_by_reactor on \(schema).failures (reactor, number);

      -- The current values of the globals.
      create table \(schema).shared (
        shard smallint not null,
        name text collate "C" not null,
        epoch text not null,
        version bigint not null,
        revision bigint not null,
        value bytea not null,
        writer bigint not null,
        stamp bigint not null,
        primary key (shard, name)
      );

      -- The number of the last change, which a transaction takes last and holds until its commit, so that the
      -- order of numbers is that of commits. The name is empty while changes are not retained.
      create table \(schema).feed (
        shard smallint primary key,
        name text not null,
        number bigint not null
      );
      insert into \(schema).feed values (\(ShardMap.common), '', 0);
      create table \(schema).changes (
        shard smallint not null,
        number bigint not null,
        kind smallint not null,
        reactor text,
        session text not null,
        epoch text not null,
        version bigint not null,
        first bigint not null,
        origin text,
        at bigint not null,
        principal bytea,
        primary key (shard, number)
      );

      -- The processes that write: the number that the next group must continue, which a new connection changes;
      -- the number of the last committed group, and the stamps of its operations and
      -- of those of the groups before it that changed nothing.
      create table \(schema).writers (
        shard smallint not null,
        id bigint not null,
        name text not null,
        number bigint not null,
        committed bigint not null default 0,
        lost bigint[] not null default '{}',
        started timestamptz not null default now(),
        primary key (shard, id)
      );

      -- The actions and sessions that have crashed a process.
      create table \(schema).quarantine (
        shard smallint not null,
        reactor text not null,
        session text not null,
        digest bigint not null,
        action bytea,
        at bigint not null,
        signal text not null,
        primary key (shard, reactor, session, digest)
      );

      create view \(schema).log as
        select s.reactor, s.session, m.version, to_timestamp(m.at / 1000.0) as at,
          convert_from(m.action, 'UTF8') as action, m.global,
          convert_from(m.mutation, 'UTF8') as mutation, convert_from(m.principal, 'UTF8') as "by"
        from \(schema).sessions s
        join \(schema).mutations m on m.shard = s.shard and m.history = s.id;
      """,
      """
      -- The present processes of a cluster: the address for the others, and when each was seen last.
      create table \(schema).nodes (
        shard smallint not null,
        incarnation bigint not null,
        name text not null,
        address text not null,
        seen timestamptz not null,
        draining boolean not null,
        primary key (shard, incarnation)
      ) with (fillfactor = 50);
      """,
      """
      -- When a process was last seen to write, to the hour.
      alter table \(schema).writers add column seen timestamptz not null default now();
      """,
    ]
  }
}
