package import ReactorLog

/// A blocking variant of a reading function, for tools, see `waitForResult(of:)`.
extension HostedReactor {
  package func sessions(
    after id: String?, limit: Int
  ) throws(SessionError) -> [SessionSummary] {
    try waitForResult { sessions(after: id, limit: limit, completion: $0) }
  }
}
