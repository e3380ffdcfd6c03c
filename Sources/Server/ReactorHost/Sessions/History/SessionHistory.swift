internal import ReactorLog
internal import Synchronization

/// Reads the history of a session from its log: of a session in memory, or of a stored session that
/// cannot be loaded.
///
/// A damaged entry makes only the States unreadable that depend on it. All other versions can be
/// read.
struct SessionHistory: HistorySource {
  let parameters: [UInt8]?
  let formerVersion: Int
  fileprivate let key: SessionKey
  fileprivate let epoch: String
  fileprivate let log: any SessionLog
  fileprivate let environment: ReactorEnvironment
  /// The session, or `nil` for one that is not in memory.
  private let session: LiveSession?
  private let storedVersion: Int

  /// The history of a session in memory, up to its current version.
  init(session: LiveSession) {
    (key, epoch, parameters) = (session.key, session.epoch, session.parameters)
    (log, environment) = (session.log, session.environment)
    self.session = session
    (formerVersion, storedVersion) = (session.formerVersion, 0)
  }

  /// The history of a stored session.
  init(
    of key: SessionKey, _ stored: StoredSession, in log: any SessionLog,
    _ environment: ReactorEnvironment
  ) {
    (self.key, epoch) = (key, stored.epoch)
    parameters = stored.parameters ?? environment.witness.parameters?.defaults
    (self.log, self.environment) = (log, environment)
    session = nil
    // The record was read without the types of the reactor: any document may be of others.
    (formerVersion, storedVersion) = (stored.version, stored.version)
  }

  fileprivate var latest: Int { session?.current.version ?? storedVersion }

  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    if let current = session?.current, version == current.version { return current }
    let latest = latest
    guard version >= 0, version <= latest else { throw unknownVersion(latest: latest) }
    return try state(of: await fold(upTo: version))
  }

  /// Reads entries up to the latest version at this call.
  func entries(after version: Int, limit: Int) async throws(HistoryError) -> [LogEntry] {
    let latest = latest
    do throws(LogError) {
      return try log.entries(after: version, limit: limit).filter { $0.version <= latest }
    } catch {
      throw .log(error)
    }
  }

  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    let latest = latest
    let start = version ?? 0
    let next: LogEntry?
    do throws(LogError) {
      next = start < latest ? try log.entries(after: start, limit: 1).first : nil
    } catch {
      throw .log(error)
    }
    guard start == latest || next?.version == start + 1 else {
      throw unknownVersion(latest: latest)
    }
    if next == nil, version != nil { return ListReplay([]) }
    return try SessionReplay(
      self, await fold(upTo: start), includesStart: version == nil, followedBy: next)
  }

  /// Folds the log; fails if the version is not available.
  private func fold(upTo version: Int) async throws(HistoryError) -> any SessionFold {
    let scope = environment.scope(of: key, parameters)
    let fold: (any SessionFold)?
    do throws(LogError) {
      fold = try await LogFolder.read(version, of: scope, from: log, in: environment)
    } catch {
      throw .log(error)
    }
    guard let fold else { throw unknownVersion(latest: latest) }
    return fold
  }

  /// Returns the error with the versions that are available.
  private func unknownVersion(latest: Int) -> HistoryError {
    do throws(LogError) {
      let oldest = try log.entries(after: 0, limit: 1).first.map { $0.version - 1 }
      return .unknownVersion(oldest: oldest ?? latest, latest: latest)
    } catch {
      return .log(error)
    }
  }

  /// Folds an entry, if there is one, and returns the State of the fold.
  fileprivate func state(
    of fold: any SessionFold, after entry: LogEntry? = nil
  ) throws(HistoryError) -> CommittedState {
    do throws(LogError) {
      let json = try CodeMark(key, environment).reading {
        if let entry { try fold.fold(CollectionOfOne(entry)) }
        return try fold.encodeShown()
      }
      return CommittedState(
        cursor: Cursor(epoch: epoch, version: fold.version), json: json)
    } catch {
      throw .log(error)
    }
  }
}

/// Folds the log step by step, for one reader.
private final class SessionReplay: StateReplay {
  /// A call returns no further State after this number of bytes: States can be a thousand times
  /// larger than the entries that they are folded from.
  private static let bytesPerCall = 262_144

  private let history: SessionHistory
  private let fold: any SessionFold
  /// The States that are folded and not read yet.
  private let ready: Mutex<ArraySlice<CommittedState>>

  /// Creates a reader of the States after a fold.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - fold: The State before the first one that is read.
  ///   - includesStart: Whether the State of the fold is read as well.
  ///   - next: The entry that follows the fold, or `nil` for none.
  /// - Throws: If that entry cannot be folded, so that a reader that reconnects before an
  ///   unreadable version gets the error immediately.
  init(
    _ history: SessionHistory, _ fold: any SessionFold, includesStart: Bool,
    followedBy next: LogEntry?
  ) throws(HistoryError) {
    self.history = history
    self.fold = fold
    var ready: [CommittedState] = []
    if includesStart { ready.append(try history.state(of: fold)) }
    if let next { ready.append(try history.state(of: fold, after: next)) }
    self.ready = Mutex(ready[...])
  }

  /// Folds the next entries up to the first one that cannot be folded.
  ///
  /// - Throws: If there is no State to return, and the first entry cannot be read or folded.
  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    var states = ready.withLock { ready in
      defer { ready = ready.dropFirst(limit) }
      return Array(ready.prefix(limit))
    }
    guard states.count < limit else { return states }
    let entries: [LogEntry]
    do throws(HistoryError) {
      entries = try await history.entries(after: fold.version, limit: limit - states.count)
    } catch {
      guard states.isEmpty else { return states }
      throw error
    }
    var bytes = states.reduce(0) { $0 + $1.json.count }
    for entry in entries {
      guard states.isEmpty || bytes < Self.bytesPerCall else { break }
      do throws(HistoryError) {
        guard entry.version == fold.version + 1 else {
          // Retention has removed entries since the reader's last call.
          throw .unknownVersion(oldest: entry.version - 1, latest: history.latest)
        }
        let state = try history.state(of: fold, after: entry)
        states.append(state)
        bytes += state.json.count
      } catch {
        guard !states.isEmpty else { throw error }
        break
      }
    }
    return states
  }
}
