internal import ReactorCore
internal import Synchronization

extension LiveSession {
  func state(at version: Int) throws(HistoryError) -> CommittedState {
    let current = current
    if version == current.version { return current }
    guard version >= 0, version < current.version else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: current.version)
    }
    let fold = try fold(upTo: version)
    return try present(fold)
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
    guard let version else { return Replay(self, try fold(upTo: 0), includesStart: true) }
    return Replay(self, try fold(upTo: version), includesStart: false)
  }

  /// A reactor that folds the log, and how far it has come.
  fileprivate struct Fold: Sendable {
    var state: R.State
    var version: Int
  }

  private func fold(upTo version: Int) throws(HistoryError) -> Fold {
    let latest = current.version
    guard version <= latest else {
      throw .unknownVersion(oldest: try oldestVersion(), latest: latest)
    }
    do {
      guard let (state, reached) = try blueprint.fold(log, upTo: version), reached == version
      else { throw HistoryError.unknownVersion(oldest: try oldestVersion(), latest: latest) }
      return Fold(state: state, version: reached)
    } catch let error as HistoryError {
      throw error
    } catch let error as LogError {
      throw .log(error)
    } catch {
      throw .log(.corrupt("\(error)"))
    }
  }

  private func present(_ fold: Fold) throws(HistoryError) -> CommittedState {
    do {
      return CommittedState(
        cursor: Cursor(epoch: epoch, version: fold.version),
        json: try blueprint.encode(blueprint.show(fold.state)))
    } catch {
      throw .log(.corrupt("The state cannot be written as JSON."))
    }
  }

  private func oldestVersion() throws(HistoryError) -> Int {
    do {
      if let first = try log.entries(after: 0, limit: 1).first { return first.version - 1 }
      return 0
    } catch {
      throw .log(error)
    }
  }

  /// Folds the log step by step for one reader.
  private final class Replay: StateReplay {
    private let session: LiveSession
    private let position: Mutex<(fold: Fold, tellsStart: Bool)>

    init(_ session: LiveSession, _ fold: Fold, includesStart: Bool) {
      self.session = session
      position = Mutex((fold, includesStart))
    }

    func next(limit: Int) throws(HistoryError) -> [CommittedState] {
      var (fold, tellsStart) = position.withLock { $0 }
      var states: [CommittedState] = []
      if tellsStart { states.append(try session.present(fold)) }
      let entries = try session.entries(after: fold.version, limit: limit)
      for entry in entries {
        guard entry.version == fold.version + 1 else {
          // Retention has overtaken a reader that stood still.
          throw .unknownVersion(oldest: entry.version - 1, latest: session.current.version)
        }
        do {
          fold.state = try session.blueprint.reduce(fold.state, entry)
        } catch {
          throw .log(.corrupt("\(error)"))
        }
        fold.version = entry.version
        states.append(try session.present(fold))
      }
      position.withLock { $0 = (fold, false) }
      return states
    }
  }
}
