internal import ReactorLog

/// Writes the pages of a history, from its entries in order.
///
/// A page that is written belongs to a history only when a message of the session's log names it.
struct PageWriter: Sendable {
  let store: NATSStore
  let key: SessionKey
  let epoch: String
  var history: PagedHistory
  /// The number of pages that were written.
  private(set) var written = 0
  /// The last message of the subject.
  private var previous: Int
  /// The approximate size of the entries and outcomes of the next page, in bytes.
  private var size = 0

  /// Creates a writer that continues a history.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - key: The session.
  ///   - epoch: The name of the history.
  ///   - history: The history before the next entry.
  ///   - previous: The sequence of the last message with a page of the session; 0 for none.
  init(
    _ store: NATSStore, _ key: SessionKey, epoch: String, after history: PagedHistory,
    previous: Int
  ) {
    self.store = store
    self.key = key
    self.epoch = epoch
    self.history = history
    self.previous = previous
    size =
      history.entries.reduce(0) { $0 + $1.approximateSize }
      + history.outcomes.reduce(0) { $0 + $1.approximateSize }
  }

  /// The size at which a page ends, in bytes.
  private var bound: Int { min(Page.size, store.payloadBound / 4) }

  /// Adds the next entry.
  mutating func append(_ entry: LogEntry) async throws(LogError) {
    let added = entry.approximateSize
    // A large entry gets a page of its own, which is as large as its message at most.
    if size > 0, size + added > bound { try await writePage() }
    history.entries.append(entry)
    size += added
    if history.entries.count >= Page.length || size >= bound { try await writePage() }
  }

  /// Adds an outcome that was stored with or after the last entry.
  mutating func append(_ outcome: StoredOutcome) async throws(LogError) {
    history.outcomes.append(outcome)
    size += outcome.approximateSize
    if size >= bound { try await writePage() }
  }

  private mutating func writePage() async throws(LogError) {
    let page = Page(
      epoch: epoch, version: history.version, index: history.pages, previous: previous,
      entries: history.entries, outcomes: history.outcomes)
    let reply = AppendReply(
      try await store.engine.request(
        page.payload, to: store.names.pageSubject(of: key),
        // A repetition of the request is not stored twice.
        headers: [("Nats-Msg-Id", "page/\(store.engine.nextMark())")]))
    switch reply {
    case .stored(let sequence, _): previous = sequence
    case .full: throw .full
    default: throw .unavailable("The page was not stored: \(reply)")
    }
    history.pages.append(
      HistoryIndex.Position(version: page.version, sequence: previous))
    history.version = page.lastVersion
    addKeys()
    (history.entries, history.outcomes, size) = ([], [], 0)
    written += 1
  }

  /// Adds the keys of a page that is written to those of the history.
  ///
  /// If they are too many for a message, messages omit them, and they are not known.
  private mutating func addKeys() {
    history.keys?.add(history.outcomes, retainingSince: store.oldestOutcome)
    if let keys = history.keys, keys.count > store.payloadBound / 32 { history.keys = nil }
  }
}
