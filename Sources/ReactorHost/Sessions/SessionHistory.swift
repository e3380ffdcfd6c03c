internal import ReactorLog
internal import Synchronization

/// Reads the history of a session from its log.
struct SessionHistory: Sendable {
  let session: LiveSession

  private var log: any SessionLog { session.log }
  private var environment: ReactorEnvironment { session.environment }

  func state(at version: Int, completion: @escaping HistoryCompletion<CommittedState>) {
    let current = session.current
    if version == current.version { return completion(.success(current)) }
    guard version >= 0, version < current.version else {
      return rejectVersion(latest: current.version, completion)
    }
    fold(upTo: version) { fold in
      completion(Result { () throws(HistoryError) in try state(of: try fold.get()) })
    }
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping HistoryCompletion<[LogEntry]>
  ) {
    let latest = session.current.version
    log.entries(after: version, limit: limit) { result in
      completion(
        result.map { $0.filter { $0.version <= latest } }.mapError { HistoryError.log($0) })
    }
  }

  func replay(
    after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    let latest = session.current.version
    let start = version ?? 0
    guard start <= latest else { return rejectVersion(latest: latest, completion) }
    checkEntries(after: start, upTo: latest) { result in
      switch result {
      case .success(true):
        fold(upTo: start) { fold in
          completion(
            fold.map { SessionReplay(self, $0, includesStart: version == nil) })
        }
      case .success(false): rejectVersion(latest: latest, completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  /// Folds the log; fails if the version is not available.
  private func fold(
    upTo version: Int, completion: @escaping HistoryCompletion<any SessionFold>
  ) {
    LogFolder.read(version, of: session.scope, from: log, in: environment) { result in
      switch result {
      case .success(let fold?): completion(.success(fold))
      case .success(nil): rejectVersion(latest: session.current.version, completion)
      case .failure(let error): completion(.failure(.log(error)))
      }
    }
  }

  /// Finds out whether the log has the entry after a version, unless that is the latest one.
  private func checkEntries(
    after version: Int, upTo latest: Int, completion: @escaping HistoryCompletion<Bool>
  ) {
    guard version < latest else { return completion(.success(true)) }
    log.entries(after: version, limit: 1) { result in
      completion(
        result.map { $0.first?.version == version + 1 }.mapError { HistoryError.log($0) })
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

  /// The State of a fold, after an entry.
  fileprivate func state(
    of fold: any SessionFold, after entry: LogEntry? = nil
  ) throws(HistoryError) -> CommittedState {
    do throws(LogError) {
      let json = try CodeMark(session.key, environment).reading {
        if let entry { try fold.fold(CollectionOfOne(entry)) }
        return try fold.encodeShown()
      }
      return CommittedState(
        cursor: Cursor(epoch: session.epoch, version: fold.version), json: json)
    } catch {
      throw .log(error)
    }
  }
}

/// Folds the log step by step, for one reader.
private final class SessionReplay: StateReplay {
  private let history: SessionHistory
  private let fold: any SessionFold
  private let includesStart: Mutex<Bool>

  init(_ history: SessionHistory, _ fold: any SessionFold, includesStart: Bool) {
    self.history = history
    self.fold = fold
    self.includesStart = Mutex(includesStart)
  }

  func next(limit: Int, completion: @escaping HistoryCompletion<[CommittedState]>) {
    history.entries(after: fold.version, limit: limit) { [self] entries in
      completion(Result { () throws(HistoryError) in try states(after: try entries.get()) })
    }
  }

  private func states(after entries: [LogEntry]) throws(HistoryError) -> [CommittedState] {
    var states: [CommittedState] = []
    if includesStart.withLock({ $0 }) { states.append(try history.state(of: fold)) }
    for entry in entries {
      guard entry.version == fold.version + 1 else {
        // Retention has removed entries since the reader's last call.
        throw .unknownVersion(oldest: entry.version - 1, latest: history.session.current.version)
      }
      states.append(try history.state(of: fold, after: entry))
    }
    includesStart.withLock { $0 = false }
    return states
  }
}
