internal import ReactorHost
internal import ReactorLog

/// Reads the sessions of a reactor in pages, in the order of their ids.
struct SessionScan {
  let reactor: any HostedReactor
  /// The prefix of the ids of the sessions to read; empty for all sessions.
  let prefix: String
  /// Decides per session whether it is part of the list, or is `nil` for all.
  let isIncluded: ((_ id: String) -> Bool)?

  /// Returns the first sessions of the list.
  ///
  /// - Parameters:
  ///   - id: The id after which to begin; `nil` begins with the first session.
  ///   - limit: The maximum number of sessions.
  /// - Returns: The sessions.
  /// - Throws: If they cannot be read.
  func sessions(
    after id: String?, limit: Int
  ) async throws(SessionError) -> [SessionSummary] {
    // If the rights to each session are checked, a page can contain few sessions of the list.
    let length = isIncluded == nil ? limit : Limits.pageLength.most
    var last = Self.predecessor(of: prefix).map { max($0, id ?? "") } ?? id
    var found: [SessionSummary] = []
    while true {
      let page = try await reactor.sessions(after: last, limit: length)
        .prefix { $0.id.utf8.starts(with: prefix.utf8) }
      found += page.filter { isIncluded?($0.id) ?? true }
      guard page.count == length, found.count < limit else { return Array(found.prefix(limit)) }
      last = page.last?.id
      await Task.yield()
    }
  }

  /// Returns a text that sorts before all ids with a prefix, and after all ids that precede these, or
  /// `nil` for the empty prefix.
  ///
  /// Ids have at most 128 ASCII characters, and none of these sorts after `~`.
  private static func predecessor(of prefix: String) -> String? {
    guard let byte = prefix.utf8.last, byte > 0 else { return nil }
    let end = String(decoding: [byte - 1], as: UTF8.self)
    return prefix.dropLast() + end + String(repeating: "~", count: 128)
  }
}
