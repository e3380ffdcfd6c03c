/// The tables and their migrations.
enum Schema {
  /// The application id in the file's header: `rctd`.
  static let application: Int64 = 0x7263_7464

  /// The version of the tables that this release uses.
  static var version: Int { migrations.count }

  /// The version that added the feed of changes.
  static let feedVersion = 6

  /// The last version whose migration rewrites a table.
  static let rewritingVersion = 8

  /// The id of the session with the reactor `?1` and the id `?2`, ended or not; `NULL` for none.
  ///
  /// Two searches: SQLite would create a table for each execution of `ended IN (0, 1)`.
  static let sessionID = """
    coalesce(
      (SELECT id FROM sessions WHERE reactor = ?1 AND ended = 0 AND session = ?2),
      (SELECT id FROM sessions WHERE reactor = ?1 AND ended = 1 AND session = ?2))
    """

  /// The statements that create the tables of each version from those of the version before.
  ///
  /// A released migration is never edited; changes are appended. Those that only add columns take the
  /// same time for every store; the eighth rewrites the table `sessions`, and none the log.
  ///
  /// Times are milliseconds since 1970. Actions, mutations and States are stored as JSON text, so that
  /// people can read them: `SELECT * FROM log`.
  static let migrations = [
    """
    -- One row per session, ended ones included. The id is the key of all rows of its history; a new
    -- history has a new id.
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      reactor TEXT NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      created INTEGER NOT NULL,
      ended INTEGER NOT NULL DEFAULT 0,
      UNIQUE (reactor, session)
    ) STRICT;

    -- The log. Rows are appended at the end of a session's history and deleted from its beginning.
    CREATE TABLE mutations (
      session INTEGER NOT NULL,
      version INTEGER NOT NULL,
      at INTEGER NOT NULL,
      action TEXT,
      global TEXT,
      revision INTEGER,
      mutation TEXT NOT NULL,
      PRIMARY KEY (session, version)
    ) STRICT, WITHOUT ROWID;

    -- Folds of the log; they replace the entries that retention has deleted.
    CREATE TABLE snapshots (
      session INTEGER NOT NULL,
      version INTEGER NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (session, version)
    ) STRICT;

    -- The latest revision of each global that has caused a mutation of a session.
    CREATE TABLE globals (
      session INTEGER NOT NULL,
      name TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;

    -- Ended histories, whose rows are deleted in batches.
    CREATE TABLE removals (
      session INTEGER PRIMARY KEY
    ) STRICT;

    CREATE VIEW log AS
      SELECT sessions.reactor, sessions.session, mutations.version,
        strftime('%Y-%m-%dT%H:%M:%fZ', mutations.at / 1000.0, 'unixepoch') AS at,
        mutations.action, mutations.global, mutations.mutation
      FROM sessions JOIN mutations ON mutations.session = sessions.id;
    """,
    """
    -- The journal: accepted actions that must run again if the process ends before they do. A row is
    -- deleted together with the last mutations of its action.
    CREATE TABLE accepted (
      session INTEGER NOT NULL,
      request INTEGER NOT NULL,
      place INTEGER NOT NULL,
      at INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      action TEXT NOT NULL,
      in_array INTEGER NOT NULL,
      key TEXT,
      body TEXT,
      failure TEXT,
      PRIMARY KEY (session, request, place)
    ) STRICT, WITHOUT ROWID;

    -- The outcomes of requests with an idempotency key. The body is the SHA-256 of the request's body;
    -- the version is that of the State in the response.
    CREATE TABLE outcomes (
      session INTEGER NOT NULL,
      key TEXT NOT NULL,
      body TEXT NOT NULL,
      at INTEGER NOT NULL,
      version INTEGER NOT NULL,
      failure TEXT,
      PRIMARY KEY (session, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX outcomes_by_age ON outcomes (at);

    -- The current values of the globals.
    CREATE TABLE shared (
      name TEXT PRIMARY KEY,
      epoch TEXT NOT NULL,
      version INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The fingerprint of the State and the Mutation that a snapshot was folded with; empty if unknown.
    ALTER TABLE snapshots ADD COLUMN schema TEXT NOT NULL DEFAULT '';
    """,
    """
    -- The checksum of an entry, chained over its history (see EntryChain); NULL for entries of earlier
    -- versions.
    ALTER TABLE mutations ADD COLUMN checksum INTEGER;

    -- The epoch that the chain of checksums begins with, if it is not the session's: that of the
    -- original of a fork.
    ALTER TABLE sessions ADD COLUMN origin TEXT;

    -- The checksum of the entry of a snapshot's version, and that of the snapshot.
    ALTER TABLE snapshots ADD COLUMN chain INTEGER;
    ALTER TABLE snapshots ADD COLUMN checksum INTEGER;

    -- Lists sessions without visiting the ended ones.
    CREATE INDEX sessions_by_name ON sessions (reactor, session) WHERE ended = 0;
    """,
    """
    -- The id of the principal whose request caused an entry; NULL for none.
    ALTER TABLE mutations ADD COLUMN principal TEXT;

    -- The principal of an accepted action, as JSON with its claims; NULL for none.
    ALTER TABLE accepted ADD COLUMN principal TEXT;

    DROP VIEW log;
    CREATE VIEW log AS
      SELECT sessions.reactor, sessions.session, mutations.version,
        strftime('%Y-%m-%dT%H:%M:%fZ', mutations.at / 1000.0, 'unixepoch') AS at,
        mutations.action, mutations.global, mutations.mutation, mutations.principal AS "by"
      FROM sessions JOIN mutations ON mutations.session = sessions.id;
    """,
    """
    -- The parameters that a session was created with.
    ALTER TABLE sessions ADD COLUMN parameters TEXT;

    -- The name that the idempotency keys of the actions are derived from which the effects of an
    -- accepted action send to other sessions.
    ALTER TABLE accepted ADD COLUMN send_name TEXT;
    """,
    """
    -- The changes of all sessions and globals in the order of commits, if they are retained.
    CREATE TABLE changes (
      number INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      reactor TEXT,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      version INTEGER NOT NULL,
      first INTEGER NOT NULL,
      origin TEXT,
      at INTEGER NOT NULL,
      principal TEXT
    ) STRICT;

    -- The name of the changes; no row while they are not retained.
    CREATE TABLE feed (
      name TEXT NOT NULL
    ) STRICT;
    """,
    """
    -- The timers. A row is replaced or deleted together with the mutations of the action that the
    -- timer causes. The period is in milliseconds; NULL for a timer that fires once.
    CREATE TABLE timers (
      session INTEGER NOT NULL,
      id TEXT NOT NULL,
      due INTEGER NOT NULL,
      action TEXT NOT NULL,
      period INTEGER,
      catches_up INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (session, id)
    ) STRICT, WITHOUT ROWID;
    -- The order of TimerPosition.
    CREATE INDEX timers_by_due ON timers (due, session, id);
    """,
    """
    -- One index of the sessions in place of two: a new session is in one B-tree less. It lists sessions
    -- without visiting the ended ones. A session has one row, ended or not, which the writer ensures.
    DROP VIEW log;
    DROP INDEX sessions_by_name;
    ALTER TABLE sessions RENAME TO former_sessions;
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      reactor TEXT NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      created INTEGER NOT NULL,
      ended INTEGER NOT NULL DEFAULT 0,
      origin TEXT,
      parameters TEXT
    ) STRICT;
    INSERT INTO sessions
      SELECT id, reactor, session, epoch, created, ended, origin, parameters FROM former_sessions
      ORDER BY id;
    DROP TABLE former_sessions;
    CREATE UNIQUE INDEX sessions_by_name ON sessions (reactor, ended, session);
    CREATE VIEW log AS
      SELECT sessions.reactor, sessions.session, mutations.version,
        strftime('%Y-%m-%dT%H:%M:%fZ', mutations.at / 1000.0, 'unixepoch') AS at,
        mutations.action, mutations.global, mutations.mutation, mutations.principal AS "by"
      FROM sessions JOIN mutations ON mutations.session = sessions.id;
    """,
    """
    -- The fingerprint of the State and the Mutation with which the last entry was written, NULL if it is
    -- unknown; and the last version whose State clients may hold as a document of other types, -1 for
    -- none.
    ALTER TABLE sessions ADD COLUMN types TEXT;
    ALTER TABLE sessions ADD COLUMN former INTEGER NOT NULL DEFAULT -1;
    """,
    """
    -- The context of the request of an accepted action, as JSON: its id, trace and origin.
    ALTER TABLE accepted ADD COLUMN context TEXT;

    -- The failures of actions that no request waited for, at most 100 per reactor. A row is inserted
    -- together with the mutations that the action has caused.
    CREATE TABLE failures (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      reactor TEXT NOT NULL,
      session INTEGER NOT NULL,
      at INTEGER NOT NULL,
      action TEXT NOT NULL,
      principal TEXT,
      context TEXT,
      failure TEXT NOT NULL
    ) STRICT;
    CREATE INDEX failures_by_reactor ON failures (reactor, number);
    """,
  ]
}
