package import ReactorLog

/// Reading functions that wait for their result, for tools and tests, see `waitForResult(of:)`.
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

extension HostedReactor {
  package func sessions(
    after id: String?, limit: Int
  ) throws(SessionError) -> [SessionSummary] {
    try waitForResult { sessions(after: id, limit: limit, completion: $0) }
  }

  package func storedState(_ id: String, at cursor: Cursor) throws(LogError) -> [UInt8]? {
    try waitForResult { storedState(id, at: cursor, completion: $0) }
  }
}
