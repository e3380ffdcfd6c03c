/// The tables, and how older ones become these.
enum Schema {
  /// What SQLite keeps in the file's header to tell whose it is: `rctd`.
  static let application: Int64 = 0x7263_7464

  /// The version of the tables that this program knows.
  static var version: Int { migrations.count }

  /// Each makes the tables of one version from those of the version before.
  ///
  /// What was released once is never edited; what changes is added below.
  ///
  /// The moments are milliseconds since 1970. What a client sent and what a reactor made of it
  /// stands as the JSON that they are, so that a person can read it: `SELECT * FROM log`.
  static let migrations = [
    """
    -- Each session once, the ended ones too. Its id is the key of what belongs to its history, and
    -- another one when a new history begins.
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      reactor TEXT NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      created INTEGER NOT NULL,
      ended INTEGER NOT NULL DEFAULT 0,
      UNIQUE (reactor, session)
    ) STRICT;

    -- The log. Only ever added to at the end of a session, and removed from its beginning.
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

    -- Folds of the log, which stand in for what retention has removed.
    CREATE TABLE snapshots (
      session INTEGER NOT NULL,
      version INTEGER NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (session, version)
    ) STRICT;

    -- The latest revision of each global that a session has a mutation of.
    CREATE TABLE globals (
      session INTEGER NOT NULL,
      name TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;

    -- Histories that have ended, whose rows are removed a few at a time.
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
    -- Accepted actions that go on: what is to be run again should the process end before they do. A
    -- row goes with the last mutations of its action.
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

    -- What became of the requests with an idempotency key. The body is the SHA-256 of the request's;
    -- the version is that of the State that was answered.
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

    -- The values that all sessions share, each as it was set last.
    CREATE TABLE shared (
      name TEXT PRIMARY KEY,
      epoch TEXT NOT NULL,
      version INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- What State and Mutation looked like to whoever folded it; empty where nobody has said.
    ALTER TABLE snapshots ADD COLUMN schema TEXT NOT NULL DEFAULT '';
    """,
  ]
}
