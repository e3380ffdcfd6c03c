internal import Synchronization
internal import ReactorLog

/// Reads the history of a session from its log.
struct SessionHistory: Sendable {
  let session: LiveSession

  private var log: any SessionLog { session.log }

  func state(at version: Int) throws(HistoryError) -> CommittedState {
    let current = session.current
    if version == current.version { return current }
    guard version >= 0, version < current.version,
      let fold = try reading({ try self.fold(upTo: version) })
    else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: current.version)
    }
    return try state(of: fold)
  }

  func entries(after version: Int, limit: Int) throws(HistoryError) -> [LogEntry] {
    let latest = session.current.version
    do {
      return try log.entries(after: version, limit: limit).filter { $0.version <= latest }
    } catch {
      throw .log(error)
    }
  }

  func replay(after version: Int?) throws(HistoryError) -> any StateReplay {
    let latest = session.current.version
    let start = version ?? 0
    guard start <= latest, try hasEntries(after: start, upTo: latest),
      let fold = try reading({ try self.fold(upTo: start) })
    else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: latest)
    }
    return SessionReplay(self, fold, includesStart: version == nil)
  }

  private func fold(upTo version: Int) throws -> (any SessionFold)? {
    try waitForResult {
      LogFolder.read(
        version, of: session.scope, from: log, in: session.environment, completion: $0)
    }
  }

  fileprivate func state(
    of fold: any SessionFold, after entry: LogEntry? = nil
  ) throws(HistoryError) -> CommittedState {
    let json = try reading {
      if let entry { try fold.fold(CollectionOfOne(entry)) }
      return try fold.encodeShown()
    }
    return CommittedState(cursor: Cursor(epoch: session.epoch, version: fold.version), json: json)
  }

  /// Whether the log has the entry after a version, unless that is the latest one.
  private func hasEntries(after version: Int, upTo latest: Int) throws(HistoryError) -> Bool {
    guard version < latest else { return true }
    return try reading { try log.entries(after: version, limit: 1).first?.version == version + 1 }
  }

  private func oldestVersion() throws(HistoryError) -> Int {
    let latest = session.current.version
    return try reading {
      try log.entries(after: 0, limit: 1).first.map { $0.version - 1 } ?? latest
    }
  }

  /// Converts the errors of the log and of the reactor.
  private func reading<Value>(_ body: () throws -> Value) throws(HistoryError) -> Value {
    do {
      return try session.marked { try body() }
    } catch let error as LogError {
      throw .log(error)
    } catch {
      throw .log(.corrupt("\(error)"))
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

  func next(limit: Int) throws(HistoryError) -> [CommittedState] {
    var states: [CommittedState] = []
    if includesStart.withLock({ $0 }) { states.append(try history.state(of: fold)) }
    for entry in try history.entries(after: fold.version, limit: limit) {
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
