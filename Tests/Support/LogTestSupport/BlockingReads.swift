package import ReactorHost
package import ReactorLog

// The asynchronous reads of sessions and replays as blocking functions, see
// `waitForResult(of:)`.

extension SessionLog {
  package func acceptedActions() throws(LogError) -> [AcceptedAction] {
    try load().acceptedActions
  }

  package func timers() throws(LogError) -> [StoredTimer] {
    try load().timers
  }
}

extension StateSource {
  package func state(at version: Int) throws(HistoryError) -> CommittedState {
    try waitForResult { state(at: version, completion: $0) }
  }

  package func replay(after version: Int?) throws(HistoryError) -> any StateReplay {
    try waitForResult { replay(after: version, completion: $0) }
  }
}

extension StateReplay {
  package func next(limit: Int) throws(HistoryError) -> [CommittedState] {
    try waitForResult { next(limit: limit, completion: $0) }
  }
}

extension Session {
  package func entries(after version: Int, limit: Int) throws(HistoryError) -> [LogEntry] {
    try waitForResult { entries(after: version, limit: limit, completion: $0) }
  }
}
