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

  func state(at version: Int, completion: @escaping HistoryCompletion<CommittedState>) {
    if let current = session?.current, version == current.version {
      return completion(.success(current))
    }
    let latest = latest
    guard version >= 0, version <= latest else { return rejectVersion(latest: latest, completion) }
    fold(upTo: version) { fold in
      completion(Result { () throws(HistoryError) in try state(of: try fold.get()) })
    }
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping HistoryCompletion<[LogEntry]>
  ) {
    let latest = latest
    log.entries(after: version, limit: limit) { result in
      completion(
        result.map { $0.filter { $0.version <= latest } }.mapError { HistoryError.log($0) })
    }
  }

  func replay(
    after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    let latest = latest
    let start = version ?? 0
    guard start <= latest else { return rejectVersion(latest: latest, completion) }
    readEntry(after: start, upTo: latest) { result in
      switch result {
      case .success(nil) where version != nil: completion(.success(FinishedReplay()))
      case .success(let next):
        fold(upTo: start) { fold in
          completion(
            Result { () throws(HistoryError) in
              try SessionReplay(
                self, try fold.get(), includesStart: version == nil, followedBy: next)
            })
        }
      case .failure(.unknownVersion): rejectVersion(latest: latest, completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  /// Folds the log; fails if the version is not available.
  private func fold(
    upTo version: Int, completion: @escaping HistoryCompletion<any SessionFold>
  ) {
    let scope = environment.scope(of: key, parameters)
    LogFolder.read(version, of: scope, from: log, in: environment) { result in
      switch result {
      case .success(let fold?): completion(.success(fold))
      case .success(nil): rejectVersion(latest: latest, completion)
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  /// Reads the entry after a version, or returns `nil` if the version is the latest one.
  private func readEntry(
    after version: Int, upTo latest: Int, completion: @escaping HistoryCompletion<LogEntry?>
  ) {
    guard version < latest else { return completion(.success(nil)) }
    log.entries(after: version, limit: 1) { result in
      completion(
        Result { () throws(HistoryError) in
          let entry = try result.mapError { HistoryError.log($0) }.get().first
          guard let entry, entry.version == version + 1 else {
            throw .unknownVersion(oldest: version, latest: latest)
          }
          return entry
        })
    }
  }

  /// Fails with the versions that are available.
  private func rejectVersion<Value>(
    latest: Int, _ completion: @escaping HistoryCompletion<Value>
  ) {
    log.entries(after: 0, limit: 1) { result in
      switch result {
      case .success(let entries):
        let oldest = entries.first.map { $0.version - 1 } ?? latest
        completion(.failure(.unknownVersion(oldest: oldest, latest: latest)))
      case .failure(let error): completion(.failure(.log(error)))
      }
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

/// The empty replay after the latest version, which folds nothing.
private final class FinishedReplay: StateReplay {
  func next(limit: Int, completion: @escaping HistoryCompletion<[CommittedState]>) {
    completion(.success([]))
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

  func next(limit: Int, completion: @escaping HistoryCompletion<[CommittedState]>) {
    let ready = ready.withLock { ready in
      defer { ready = ready.dropFirst(limit) }
      return Array(ready.prefix(limit))
    }
    guard ready.count < limit else { return completion(.success(ready)) }
    history.entries(after: fold.version, limit: limit - ready.count) { [self] entries in
      completion(
        Result { () throws(HistoryError) in try states(after: ready, in: entries) })
    }
  }

  /// Folds entries up to the first one that cannot be folded, and appends their States.
  ///
  /// - Throws: If there is no State to return, and the first entry cannot be read or folded.
  private func states(
    after ready: [CommittedState], in entries: Result<[LogEntry], HistoryError>
  ) throws(HistoryError) -> [CommittedState] {
    var states = ready
    guard case .success(let entries) = entries else {
      guard states.isEmpty else { return states }
      return try entries.map { _ in [] }.get()
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
