/// One mutation in the log of a session.
public struct LogEntry: Equatable, Sendable {
  /// The revision of a global that caused a mutation.
  public struct GlobalMark: Equatable, Sendable {
    /// The global's name; for a further observer of the global in the same session, followed by `#` and
    /// its number.
    public let name: String

    /// The global's name.
    public var global: String { String(name.prefix { $0 != "#" }) }

    /// The revision of the global, which is never repeated, even across restarts.
    public let revision: UInt64

    /// Creates a mark.
    public init(name: String, revision: UInt64) {
      self.name = name
      self.revision = revision
    }
  }

  /// The version of the state that contains this mutation and those before it; the first is 1.
  public package(set) var version: Int

  /// The time of the fold.
  public let at: Timestamp

  /// The action that caused it, as JSON, or `nil` for none.
  public let action: [UInt8]?

  /// The global that caused it, or `nil` for none.
  public let global: GlobalMark?

  /// The mutation, as JSON.
  public let mutation: [UInt8]

  /// The id of the principal whose request caused it, or `nil` for an anonymous request, or without a
  /// request.
  public let by: String?

  /// Creates an entry.
  public init(
    version: Int, at: Timestamp, action: [UInt8]?, global: GlobalMark? = nil, mutation: [UInt8],
    by: String? = nil
  ) {
    self.version = version
    self.at = at
    self.action = action
    self.global = global
    self.mutation = mutation
    self.by = by
  }
}

/// The fold of a session's mutations up to a version: a later fold starts from it.
public struct Snapshot: Equatable, Sendable {
  /// The version of the fold.
  public let version: Int

  /// The folded state, before `transform(state:)`, as JSON.
  public let state: [UInt8]

  /// The fingerprint of the State and the Mutation that it was folded with; empty if unknown.
  public let schema: String

  /// Creates a snapshot.
  public init(version: Int, state: [UInt8], schema: String = "") {
    self.version = version
    self.state = state
    self.schema = schema
  }
}

/// The stored value of a global.
public struct SharedValue: Equatable, Sendable {
  /// The name of its history.
  public let epoch: String

  /// The number of changes in this history.
  public let version: Int

  /// The revision of the value, which is never repeated, even across restarts.
  public let revision: UInt64

  /// The value, as JSON.
  public let json: [UInt8]

  /// Creates a value.
  public init(epoch: String, version: Int, revision: UInt64, json: [UInt8]) {
    self.epoch = epoch
    self.version = version
    self.revision = revision
    self.json = json
  }
}

/// The state of a session in the log.
public enum SessionRecord: Equatable, Sendable {
  /// Never stored.
  case none

  /// Ended.
  case ended

  /// Stored.
  case stored(StoredSession)
}

/// The stored properties of a session.
public struct StoredSession: Equatable, Sendable {
  /// The name of its history.
  public let epoch: String

  /// The version of its last entry; 0 for none.
  public let version: Int

  /// The time of the last entry, or of the creation.
  public let lastActiveAt: Timestamp

  /// The latest revision of each global that has caused a mutation of the session.
  public let globals: [String: UInt64]

  /// Whether the journal has unfinished actions.
  public let isUnfinished: Bool

  /// The parameters that the session was created with, as JSON, or `nil` for none.
  public let parameters: [UInt8]?

  /// Whether the session has timers.
  public let hasTimers: Bool

  /// The last version whose State clients may hold as a document that other types encoded, those of
  /// another release; -1 for none.
  public var formerVersion = -1

  /// Creates a record.
  public init(
    epoch: String, version: Int, lastActiveAt: Timestamp, globals: [String: UInt64] = [:],
    isUnfinished: Bool = false, hasTimers: Bool = false, parameters: [UInt8]? = nil
  ) {
    self.epoch = epoch
    self.version = version
    self.lastActiveAt = lastActiveAt
    self.globals = globals
    self.isUnfinished = isUnfinished
    self.hasTimers = hasTimers
    self.parameters = parameters
  }
}

/// A session in a list.
public struct SessionSummary: Equatable, Sendable {
  /// The session's id.
  public let id: String

  /// The position of its last entry.
  public let cursor: Cursor

  /// The number of its subscribers.
  public let subscribers: Int

  /// The number of its running effects.
  public let effects: Int

  /// The time of its last change, or of its creation.
  public let lastActiveAt: Timestamp

  /// The name of the node that has it in memory, or `nil` if none has, and without a cluster.
  public var node: String?

  /// Creates a summary.
  public init(
    id: String, cursor: Cursor, subscribers: Int, effects: Int = 0, lastActiveAt: Timestamp,
    node: String? = nil
  ) {
    self.node = node
    self.id = id
    self.cursor = cursor
    self.subscribers = subscribers
    self.effects = effects
    self.lastActiveAt = lastActiveAt
  }
}
