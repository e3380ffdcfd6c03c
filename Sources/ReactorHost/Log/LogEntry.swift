/// One mutation in the log of a session.
public struct LogEntry: Equatable, Sendable {
  /// A value that sessions share, at the revision that caused a mutation.
  public struct GlobalMark: Equatable, Sendable {
    /// The global's name.
    public let name: String

    /// Which setting of the global it was: no two have the same number, also across restarts.
    public let revision: UInt64

    /// Makes a mark.
    public init(name: String, revision: UInt64) {
      self.name = name
      self.revision = revision
    }
  }

  /// The version of the state that contains this mutation and those before it; the first is 1.
  public let version: Int

  /// When it was folded in.
  public let at: Timestamp

  /// The action that caused it, as JSON; `nil` where none did.
  public let action: [UInt8]?

  /// The global that caused it; `nil` where none did.
  public let global: GlobalMark?

  /// The mutation, as JSON.
  public let mutation: [UInt8]

  /// Makes an entry.
  public init(
    version: Int, at: Timestamp, action: [UInt8]?, global: GlobalMark? = nil, mutation: [UInt8]
  ) {
    self.version = version
    self.at = at
    self.action = action
    self.global = global
    self.mutation = mutation
  }
}

/// The fold of a session's mutations up to a version, so that reading need not begin at the first.
public struct Snapshot: Equatable, Sendable {
  /// The version of the fold.
  public let version: Int

  /// The folded state, before `transform(state:)`, as JSON.
  public let state: [UInt8]

  /// The fingerprint of the State and the Mutation of whoever folded it; empty where nobody has said.
  public let schema: String

  /// Makes a snapshot.
  public init(version: Int, state: [UInt8], schema: String = "") {
    self.version = version
    self.state = state
    self.schema = schema
  }
}

/// A value that all sessions share, as it is stored.
public struct SharedValue: Equatable, Sendable {
  /// The name of its history.
  public let epoch: String

  /// How often it was set in this history.
  public let version: Int

  /// Which setting it is: no two have the same number, also across restarts.
  public let revision: UInt64

  /// The value, as JSON.
  public let json: [UInt8]

  /// Makes a value.
  public init(epoch: String, version: Int, revision: UInt64, json: [UInt8]) {
    self.epoch = epoch
    self.version = version
    self.revision = revision
    self.json = json
  }
}

/// What a log knows of a session.
public enum SessionRecord: Equatable, Sendable {
  /// Nothing was ever stored.
  case none

  /// It was ended.
  case ended

  /// It is there.
  case stored(StoredSession)
}

/// A session as it is stored.
public struct StoredSession: Equatable, Sendable {
  /// The name of its history.
  public let epoch: String

  /// The version of its last entry; 0 without any.
  public let version: Int

  /// When the last entry, or the session, was stored.
  public let lastActiveAt: Timestamp

  /// The latest revision of each global that the session has a mutation of.
  public let globals: [String: UInt64]

  /// Whether the journal has accepted actions that were not finished.
  public let isUnfinished: Bool

  /// Makes a record.
  public init(
    epoch: String, version: Int, lastActiveAt: Timestamp, globals: [String: UInt64] = [:],
    isUnfinished: Bool = false
  ) {
    self.epoch = epoch
    self.version = version
    self.lastActiveAt = lastActiveAt
    self.globals = globals
    self.isUnfinished = isUnfinished
  }
}

/// A session in a list.
public struct SessionSummary: Equatable, Sendable {
  /// The session's id.
  public let id: String

  /// The point that its history has reached.
  public let cursor: Cursor

  /// How many streams watch it.
  public let subscribers: Int

  /// When it last changed, or was made.
  public let lastActiveAt: Timestamp

  /// Makes a summary.
  public init(id: String, cursor: Cursor, subscribers: Int, lastActiveAt: Timestamp) {
    self.id = id
    self.cursor = cursor
    self.subscribers = subscribers
    self.lastActiveAt = lastActiveAt
  }
}
