package import ReactorHost
package import ReactorLog

// The asynchronous reads of logs, sessions and replays as blocking functions, see
// `waitForResult(of:)`.

extension SessionLog {
  package func acceptedActions() throws(LogError) -> [AcceptedAction] {
    try load().acceptedActions
  }

  package func timers() throws(LogError) -> [StoredTimer] {
    try load().timers
  }

  package func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    try waitForResult { outcome(of: key, completion: $0) }
  }
}

extension MutationLog {
  package func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try waitForResult { sessions(of: reactor, after: id, limit: limit, completion: $0) }
  }

  package func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try waitForResult { unfinishedSessions(after: key, limit: limit, completion: $0) }
  }

  package func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try waitForResult { dueTimers(after: position, until: time, limit: limit, completion: $0) }
  }

  package func timerCount() throws(LogError) -> Int {
    try waitForResult { timerCount(completion: $0) }
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
