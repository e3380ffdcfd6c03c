internal import ReactorLog
internal import Synchronization

/// A source of committed states: a session or a global.
///
/// The functions that read the log block the thread of their caller while they read from disk.
public protocol StateSource: AnyObject, Sendable {
  /// The state that was committed last.
  var current: CommittedState { get }

  /// The last version whose State clients may hold as a document that other types encoded, those of
  /// another release; -1 for none.
  ///
  /// A patch may not fit a document of other types.
  var formerVersion: Int { get }

  /// Confirms that ``current`` is not older than this call.
  ///
  /// Streams call it before they reset a client whose position is not in the history. Only a source whose
  /// log several processes share reads or writes the log for it.
  ///
  /// - Throws: `LogError.lost(to:)` if another process owns the source: the caller must find the source
  ///   again.
  func confirmCurrent() async throws(LogError)

  /// Reads the state at a version.
  func state(at version: Int) async throws(HistoryError) -> CommittedState

  /// Begins to read the states after a version from the log, in order.
  ///
  /// - Parameter version: The version; `nil` begins with version 0.
  /// - Returns: The reader.
  /// - Throws: If the version is not available.
  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay

  /// Adds an observer of the states that are committed from now on.
  ///
  /// The call makes no callback, neither to this observer nor to another one, and sends no response:
  /// callers hold locks that the callbacks acquire. States can be published on other threads before it
  /// returns.
  ///
  /// - Returns: The state that precedes the first one that the observer receives, or `nil` if the
  ///   source has ended, so that the observer was not added.
  func observe(_ observer: any SessionObserver) -> CommittedState?

  /// Removes an observer; makes no callback.
  func stopObserving(_ observer: any SessionObserver)

  /// Adds streams that show the source, or removes them.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - owner: The owner of the streams.
  ///   - change: Their number; negative to remove them.
  /// - Returns: The least revision of a ``PresenceUpdate`` that contains the change.
  @discardableResult
  func changeStreams(of owner: StreamOwner, by change: Int) -> Int
}

extension StateSource {
  /// -1: the source was not stored before.
  public var formerVersion: Int { -1 }

  /// Succeeds immediately: no other process commits states.
  public func confirmCurrent() async throws(LogError) {}
}

/// A state that is committed: in the log, as durable as the store is.
public struct CommittedState: Sendable {
  /// The position in the session's log.
  public let cursor: Cursor

  /// The state, as JSON.
  public let json: [UInt8]

  /// Creates a state.
  public init(cursor: Cursor, json: [UInt8]) {
    self.cursor = cursor
    self.json = json
  }

  /// The number of mutations that the state contains.
  public var version: Int { cursor.version }
}

/// Observes the commits of a session or a global.
///
/// The calls come one at a time and in order.
public protocol SessionObserver: AnyObject, Sendable {
  /// A version was committed. Called for each version, on the thread that completes the commit; it
  /// must not block.
  ///
  /// The states of a batch that was reduced before the observer was added may be left out, except for
  /// the last one.
  func sessionDidCommit(_ state: CommittedState)

  /// The session has ended: no commit follows.
  func sessionDidEnd(_ end: SessionEnd)
}

/// How a session in memory ended.
public enum SessionEnd: Sendable, Equatable {
  /// It was deleted.
  case deleted

  /// It was removed from memory, for example because the log rejected its mutations, or because
  /// another process took it over. Its next use loads it again.
  case interrupted
}

/// An error of reading the history of a session.
public enum HistoryError: Error, Equatable, Sendable {
  /// The version does not exist yet, or retention has removed it. The values are the oldest and the
  /// latest version that are available.
  case unknownVersion(oldest: Int, latest: Int)

  /// The log cannot be read.
  case log(LogError)
}

/// Reads states from the log in small pages, in constant memory.
public protocol StateReplay: AnyObject, Sendable {
  /// Reads the next states.
  ///
  /// Called one call at a time: after the return of the previous call.
  ///
  /// - Parameter limit: The maximum number of states.
  /// - Returns: The states; none at the current end of the log.
  /// - Throws: If the next state cannot be read. The reader must not be used again.
  func next(limit: Int) async throws(HistoryError) -> [CommittedState]
}

/// A replay of states that are in memory.
final class ListReplay: StateReplay {
  private let states: Mutex<ArraySlice<CommittedState>>

  init(_ states: [CommittedState]) {
    self.states = Mutex(states[...])
  }

  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    states.withLock { states in
      defer { states = states.dropFirst(limit) }
      return Array(states.prefix(limit))
    }
  }
}
