/// One stored value that a release of a reactor must be able to decode.
public struct StoredSample: Equatable, Sendable {
  /// The kind of a stored value.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    case parameters, snapshot, mutation, action, timer
  }

  /// The session.
  public let key: SessionKey

  /// The kind of the value.
  public let part: Part

  /// The version of a mutation or a snapshot; 0 for others.
  public let version: Int

  /// The value, as JSON.
  public let json: [UInt8]

  /// The parameters of the session, as JSON.
  public let parameters: [UInt8]?

  /// Creates a sample.
  public init(
    _ part: Part, of key: SessionKey, version: Int = 0, json: [UInt8], parameters: [UInt8]? = nil
  ) {
    self.key = key
    self.part = part
    self.version = version
    self.json = json
    self.parameters = parameters
  }
}

/// A position in the stored samples of a log.
public struct SamplePosition: Equatable, Sendable {
  /// The table that is read next.
  package enum Table: Equatable, Sendable {
    case sessions, accepted, timers
  }

  package var table = Table.sessions
  /// The history that was read last.
  package var history: Int64?
  package var request: Int64 = 0
  package var place: Int64 = 0
  package var timer = ""
  /// The number of sessions of each reactor of which several entries were read.
  package var detailed: [String: Int] = [:]

  /// The position before all samples.
  public init() {}
}

/// A part of the stored samples of a log.
public struct SamplePage: Equatable, Sendable {
  /// The samples.
  public var samples: [StoredSample] = []

  /// The number of sessions that were read.
  public var sessions = 0

  /// The position of the next page, or `nil` at the end.
  public var next: SamplePosition?

  /// Creates an empty last page.
  public init() {}
}
