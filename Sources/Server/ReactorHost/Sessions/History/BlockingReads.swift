package import ReactorLog

/// Blocking variants of the reading functions, for tools and the feed of changes, see
/// `waitForResult(of:)`.
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
