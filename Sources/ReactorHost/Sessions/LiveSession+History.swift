internal import Synchronization

extension LiveSession {
  func state(at version: Int) throws(HistoryError) -> CommittedState {
    let current = current
    if version == current.version { return current }
    guard version >= 0, version < current.version else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: current.version)
    }
    let json = try reading { try engine.state(at: version, in: log) }
    guard let json else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: current.version)
    }
    return CommittedState(cursor: Cursor(epoch: epoch, version: version), json: json)
  }

  func entries(after version: Int, limit: Int) throws(HistoryError) -> [LogEntry] {
    let latest = current.version
    do {
      return try log.entries(after: version, limit: limit).filter { $0.version <= latest }
    } catch {
      throw .log(error)
    }
  }

  func replay(after version: Int?) throws(HistoryError) -> any StateReplay {
    let latest = current.version
    let start = version ?? 0
    guard start <= latest, try isKept(after: start, upTo: latest),
      let folding = try reading({ try engine.replay(after: start, in: log) })
    else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: latest)
    }
    return SessionReplay(self, folding, at: start, tellsStart: version == nil)
  }

  /// Calls the log or the engine, and says which of them failed.
  func reading<Value>(_ body: () throws -> Value) throws(HistoryError) -> Value {
    do {
      return try body()
    } catch let error as LogError {
      throw .log(error)
    } catch {
      throw .log(.corrupt("\(error)"))
    }
  }

  /// Whether the log still has what follows a version.
  ///
  /// The state of version 0 can be had without.
  private func isKept(after version: Int, upTo latest: Int) throws(HistoryError) -> Bool {
    guard version < latest else { return true }
    return try reading { try log.entries(after: version, limit: 1).first?.version == version + 1 }
  }

  private func oldestVersion() throws(HistoryError) -> Int {
    let latest = current.version
    return try reading {
      try log.entries(after: 0, limit: 1).first.map { $0.version - 1 } ?? latest
    }
  }
}

/// Folds the log step by step for one reader.
private final class SessionReplay: StateReplay {
  private let session: LiveSession
  private let folding: any StateFolding
  private let position: Mutex<(version: Int, tellsStart: Bool)>

  init(_ session: LiveSession, _ folding: any StateFolding, at version: Int, tellsStart: Bool) {
    self.session = session
    self.folding = folding
    position = Mutex((version, tellsStart))
  }

  func next(limit: Int) throws(HistoryError) -> [CommittedState] {
    var (version, tellsStart) = position.withLock { $0 }
    var states: [CommittedState] = []
    if tellsStart { states.append(try state(at: version)) }
    for entry in try session.entries(after: version, limit: limit) {
      guard entry.version == version + 1 else {
        // Retention has overtaken a reader that stood still.
        throw .unknownVersion(oldest: entry.version - 1, latest: session.current.version)
      }
      try session.reading { try folding.fold(entry) }
      version = entry.version
      states.append(try state(at: version))
    }
    position.withLock { $0 = (version, false) }
    return states
  }

  private func state(at version: Int) throws(HistoryError) -> CommittedState {
    CommittedState(
      cursor: Cursor(epoch: session.epoch, version: version),
      json: try session.reading { try folding.state() })
  }
}
