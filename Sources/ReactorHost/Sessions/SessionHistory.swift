internal import Synchronization
internal import ReactorLog

/// Reads the history of a session from its log.
struct SessionHistory: Sendable {
  let session: LiveSession

  private var log: any SessionLog { session.log }
  private var witness: ReactorWitness { session.environment.witness }

  func state(at version: Int) throws(HistoryError) -> CommittedState {
    let current = session.current
    if version == current.version { return current }
    guard version >= 0, version < current.version,
      let replay = try reading({ try witness.replay(log, version, session.scope) })
    else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: current.version)
    }
    return try state(at: version, folding: nil, in: replay)
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
      let replay = try reading({ try witness.replay(log, start, session.scope) })
    else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: latest)
    }
    return SessionReplay(self, replay, at: start, includesStart: version == nil)
  }

  fileprivate func state(
    at version: Int, folding entry: LogEntry?, in replay: ReactorWitness.Replay
  ) throws(HistoryError) -> CommittedState {
    CommittedState(
      cursor: Cursor(epoch: session.epoch, version: version),
      json: try reading { try replay(entry) })
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
  private let fold: ReactorWitness.Replay
  private let position: Mutex<(version: Int, includesStart: Bool)>

  init(
    _ history: SessionHistory, _ fold: @escaping ReactorWitness.Replay, at version: Int,
    includesStart: Bool
  ) {
    self.history = history
    self.fold = fold
    position = Mutex((version, includesStart))
  }

  func next(limit: Int) throws(HistoryError) -> [CommittedState] {
    var (version, includesStart) = position.withLock { $0 }
    var states: [CommittedState] = []
    if includesStart { states.append(try history.state(at: version, folding: nil, in: fold)) }
    for entry in try history.entries(after: version, limit: limit) {
      guard entry.version == version + 1 else {
        // Retention has removed entries since the reader's last call.
        throw .unknownVersion(oldest: entry.version - 1, latest: history.session.current.version)
      }
      version = entry.version
      states.append(try history.state(at: version, folding: entry, in: fold))
    }
    position.withLock { $0 = (version, false) }
    return states
  }
}
