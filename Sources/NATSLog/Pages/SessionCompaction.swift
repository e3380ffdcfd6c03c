internal import ReactorLog
internal import Telemetry

/// Writes the pages of a session, so that an anchor can replace the messages of its log.
///
/// ```
/// begin ──► consume ──► anchor ──► (append) ──► deleteDropped
///            ▲    │
///            └────┘ the log has grown
/// ```
///
/// Several processes may compact the same session: only the anchor is visible, and the fence lets one of
/// them succeed. The pages of the others, and those of a process that was killed, are named by no
/// message. The next compaction finds them, and deletes them after its own anchor: a compaction that has
/// begun before that anchor can no longer append one.
struct SessionCompaction: Sendable {
  private static let orphanBound = 16_384

  private let store: NATSStore
  private let key: SessionKey
  private let hook: CleaningHook
  private var writer: PageWriter
  /// The end of the log up to which the history is in `writer`.
  private var consumed: SessionHead?
  /// Outcomes before this time are not retained, in milliseconds.
  private let oldestOutcome: Int64
  /// The pages to delete after the anchor.
  private var dropped: [HistoryIndex.Node]
  /// The milestones to delete after the anchor.
  private var droppedSnapshots: [Int] = []
  private let epoch: String
  private let first: Int
  private var created: Int64?

  /// Begins the compaction of a session at its current end.
  ///
  /// Deletes the pages that the last anchor has dropped, if they still exist.
  init(
    _ key: SessionKey, _ head: SessionHead, in store: NATSStore,
    hook: @escaping CleaningHook = { _ in }
  ) async throws(LogError) {
    self.store = store
    self.key = key
    self.hook = hook
    (epoch, first) = (head.epoch, head.first)
    try hook(.begin)
    let pages = store.pages(of: key)
    let beginning = head.beginning
    try await pages.delete(beginning.dropped)
    let last = try await pages.last()
    dropped = try await pages.orphans(upTo: last, after: beginning.newest, Self.orphanBound)
    writer = PageWriter(
      store, key, epoch: head.epoch,
      after: PagedHistory(
        pages: beginning.pages, floor: beginning.floor, snapshot: beginning.snapshot,
        version: head.paged, keys: beginning.keys),
      previous: last)
    oldestOutcome = store.oldestOutcome
  }

  /// Writes the pages of the messages up to an end of the log.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - recent: The last messages that this process has appended; those before them are read.
  /// - Returns: Whether the compaction can continue; `false` if another process has appended an
  ///   anchor or replaced the history.
  /// - Throws: If the log cannot be read, or a page cannot be stored.
  mutating func consume(
    _ head: SessionHead, _ recent: RecentMessages = RecentMessages()
  ) async throws(LogError) -> Bool {
    guard head.epoch == epoch, head.first == first || head.status != .stored else { return false }
    if head.status == .stored {
      try await findCreation(of: head, recent)
      let before = consumed?.sequence ?? 0
      let retained = recent.messages(of: head, after: before)
      if !recent.includesAll(of: head, after: before) {
        try await read(head, after: before, before: retained.first?.sequence ?? .max)
      }
      for message in retained { try await add(message.entries, message.outcomes) }
      guard writer.history.lastVersion == head.version else {
        throw .corrupt("The log of \(key) has gaps before version \(head.version).")
      }
    }
    consumed = head
    try hook(.wrotePages)
    return true
  }

  /// Adds the messages between two sequences from the log.
  private mutating func read(
    _ head: SessionHead, after sequence: Int, before stop: Int
  ) async throws(LogError) {
    var compaction = self
    try await store.history(of: key).forEachMessage(of: head, after: sequence, before: stop) {
      message async throws(LogError) in
      try await compaction.add(message.entries, message.outcomes)
    }
    self = compaction
  }

  private mutating func findCreation(
    of head: SessionHead, _ recent: RecentMessages
  ) async throws(LogError) {
    created = recent.creation(of: head)
    if created == nil { created = try await store.history(of: key).creation(of: head) }
  }

  /// Adds the entries and outcomes of a message.
  private mutating func add(
    _ entries: [LogEntry], _ outcomes: [StoredOutcome]
  ) async throws(LogError) {
    let written = writer.written
    for entry in entries { try await writer.append(entry) }
    for outcome in outcomes where outcome.at.milliseconds >= oldestOutcome {
      try await writer.append(outcome)
    }
    if writer.written > written { try hook(.wrotePage) }
  }

  /// Removes from the history the pages whose entries retention deletes, and selects the milestones
  /// to delete.
  ///
  /// - Parameter isThorough: Whether milestones are selected even if retention deletes no entries.
  /// - Throws: If the snapshots cannot be read.
  mutating func retain(isThorough: Bool) async throws(LogError) {
    guard let head = consumed, isThorough || store.retention.limits(key) else { return }
    let snapshots = store.snapshots(of: key)
    let milestones = try await snapshots.allMilestones()
    guard head.status == .stored else {
      droppedSnapshots = milestones.map(\.sequence)
      return
    }
    var history = writer.history
    if let base = try await store.retention.base(of: key, head, snapshots),
      base.version > history.floor, base.version <= history.version
    {
      dropped += history.pages.removeFirst(upTo: base.version, end: history.version)
      (history.floor, history.snapshot) = (base.version, base.sequence)
      writer.history = history
    }
    droppedSnapshots = milestones.filter {
      $0.record.epoch != epoch || $0.record.snapshot.version < history.floor
    }.map(\.sequence)
  }

  /// The message that replaces the log up to an end that was consumed.
  func anchor(after head: SessionHead) -> LogMessage {
    var head = head
    head.created = created
    return head.anchoring(writer.history, dropping: dropped)
  }

  /// The anchor is stored: deletes the pages and milestones that it does not name.
  func deleteDropped() async throws(LogError) {
    try hook(.anchored)
    try await store.pages(of: key).delete(dropped)
    try await store.snapshots(of: key).deleteMilestones(droppedSnapshots)
    try hook(.deleted)
  }
}

extension NATSStore {
  /// Appends an anchor to the log of a session.
  ///
  /// - Returns: Its sequence.
  @discardableResult
  func append(
    _ anchor: LogMessage, of key: SessionKey, expecting expected: Int
  ) async throws(LogError) -> Int {
    let payload = anchor.json(expecting: expected)
    let result: Result<Int, LogError> = await withCheckedContinuation { continuation in
      // An anchor does not change the session, so that it can be its own void message.
      append(
        payload, void: { payload }, to: names.logSubject(of: key),
        in: names.log(names.logNumber(of: key)), expecting: expected
      ) { continuation.resume(returning: $0) }
    }
    let sequence = try result.get()
    engine.counters.anchors.add()
    return sequence
  }
}
