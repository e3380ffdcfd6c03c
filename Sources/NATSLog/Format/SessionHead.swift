internal import ReactorLog

/// The end of a session's log: the last message and everything that the next one repeats.
struct SessionHead: Equatable, Sendable {
  /// A journal of at most this size is in every message.
  static let inlineJournal = 512
  /// The number of messages after which the journal is written again.
  static let baseInterval = 1024
  /// The maximum number of keys that each message repeats: 4 KiB.
  static let keyBound = 1024

  /// The existence of the session.
  enum Status: Equatable, Sendable {
    case none, ended, stored
  }

  var status = Status.none
  /// The sequence of the subject's last message; 0 for none.
  var sequence = 0
  /// The sequence of the last message that is no anchor; 0 for none.
  var content = 0
  var epoch = ""
  var version = 0
  /// The number of messages in the history.
  var count = 0
  /// The time of the last entry, or of the creation, in milliseconds.
  var at: Int64 = 0
  /// The time of the creation, in milliseconds, if the last message knows it.
  var created: Int64?
  /// The messages of the history since the last anchor.
  var index = HistoryIndex()
  /// The message that begins the index; 0 for none.
  var first = 0
  /// The pages before the index, and whether there are some.
  var beginning = Beginning()
  var hasBeginning = false
  var hasParameters = false
  var parameters: [UInt8]?
  var journal = Journal()
  /// The last base, the last message included.
  var base = LogMessage.Base(sequence: 0, count: 0, size: 0)
  /// The number of outcomes.
  var keyed = 0
  /// The highest number of each series of numbered keys.
  var numbers = NumberMarks()
  /// The keys of the outcomes in the messages of the index after its last complete block, or `nil` if they are
  /// not known.
  var keys: KeyHashes? = KeyHashes()
  var unfinished = 0
  var timers = 0
  /// The writer of the last message that is no anchor.
  var writer: Writer?

  /// The end of the log of a session that was never stored.
  init() {}

  /// The end of a log by its last message.
  ///
  /// The journal is complete if the message is a base, else empty; parameters and pages are missing
  /// unless the message begins the index.
  init(_ message: LogMessage, at sequence: Int, by writer: Writer?) {
    status = message.isEnded ? .ended : message.epoch.isEmpty ? .none : .stored
    self.sequence = sequence
    self.writer = message.content.map(\.writer) ?? writer
    content = message.content?.sequence ?? sequence
    beginning = message.beginning
    hasBeginning = message.hasBeginning || !message.beginning.isEmpty
    guard status == .stored else { return }
    epoch = message.epoch
    version = message.lastVersion
    count = message.number + 1
    at = message.at
    created = message.creation
    index = message.index
    index.append(HistoryIndex.Position(version: message.version, sequence: sequence))
    first = message.first ?? sequence
    hasParameters = message.hasParameters
    parameters = message.parameters
    journal = message.journal ?? Journal()
    base = message.base ?? LogMessage.Base(sequence: sequence, count: 0, size: 0)
    keyed = message.keyed
    numbers = message.numbers
    keys = message.keysOfBlock(index)
    unfinished = message.unfinished
    timers = message.timers
  }

  /// The version before the index: the entries up to it are in pages.
  var paged: Int { index.nodes.first?.position.version ?? version }

  /// The state of the session.
  var record: SessionRecord {
    switch status {
    case .none: .none
    case .ended: .ended
    case .stored:
      .stored(
        StoredSession(
          epoch: epoch, version: version, lastActiveAt: Timestamp(milliseconds: at),
          globals: journal.globals, isUnfinished: unfinished > 0, hasTimers: timers > 0,
          parameters: parameters))
    }
  }

  /// Whether a batch that expects an epoch and a version can follow.
  func accepts(_ epoch: String, _ version: Int) -> Bool {
    switch status {
    case .none: version == 0
    case .ended: false
    case .stored: self.epoch == epoch && self.version == version
    }
  }

  // MARK: Next message

  /// Whether a message can contain the journal after a batch, and other changes.
  ///
  /// A batch that adds nothing to the journal is always possible, so that actions can finish. A timer
  /// that fires has room of its own: its batch replaces or removes the timer and adds its action.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - bound: The maximum size of a message, in bytes.
  /// - Returns: Whether it can.
  func hasRoom(for batch: LogBatch, in bound: Int) -> Bool {
    let added = batch.addedSize
    guard added > 0, journal.size + added > bound / 2 else { return true }
    var next = journal
    next.apply(batch)
    guard batch.timers.contains(where: { journal.timers[$0.id] != nil }) else {
      return next.size <= max(bound / 2, journal.size)
    }
    // An action has 32 bytes more than a timer that it replaces.
    return next.size <= max(bound / 4 * 3, journal.size + 32)
  }

  /// The message of a batch after this head.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - epoch: The name of the history.
  ///   - now: The time.
  ///   - bound: The maximum size of the message, in bytes: the journal is written again later if it
  ///     does not fit beside the batch.
  /// - Returns: The message.
  func appending(
    _ batch: LogBatch, to epoch: String, now: Timestamp, bound: Int = .max
  ) -> LogMessage {
    var message = next(.batch, epoch: epoch, now: now)
    if status == .none { message.parameters = batch.parameters }
    message.batch = batch
    message.batch.parameters = nil
    message.at = batch.entries.last?.at.milliseconds ?? message.at
    var journal = journal
    journal.apply(batch)
    message.unfinished = journal.accepted.count
    message.timers = journal.timers.count
    message.keyed += batch.outcomes.count
    message.numbers.add(batch.outcomes)
    message.hasParameters = message.hasParameters || message.parameters != nil
    let next = LogMessage.Base(
      sequence: base.sequence, count: base.count + 1, size: base.size + batch.journalSize)
    let isDue =
      next.count >= Self.baseInterval
      || max(next.size, 64 * next.count) > max(4096, journal.size)
    if count == 0 || journal.size <= Self.inlineJournal
      || isDue && journal.size + batch.approximateSize <= bound
    {
      message.journal = journal
    } else {
      message.base = next
    }
    return message
  }

  /// The message that begins a history after this head.
  func creating(
    _ epoch: String, parameters: [UInt8]?, now: Timestamp
  ) -> LogMessage {
    var message = LogMessage(kind: .create, epoch: epoch, version: 0, at: now.milliseconds)
    message.parameters = parameters
    message.hasParameters = parameters != nil
    message.journal = Journal()
    message.beginning = Beginning(dropped: beginning.dropped)
    return message
  }

  /// The message that begins a history with a copy of another one after this head.
  ///
  /// - Parameters:
  ///   - copy: The pages of the copy, and its last entries.
  ///   - origin: The other history.
  ///   - epoch: The name of the new history.
  ///   - parameters: Its parameters.
  ///   - globals: The revisions of globals that the copy contains.
  ///   - now: The time.
  /// - Returns: The message.
  func forking(
    _ copy: PagedHistory, from origin: LogMessage.Origin, epoch: String, parameters: [UInt8]?,
    globals: Journal, now: Timestamp
  ) -> LogMessage {
    var message = creating(epoch, parameters: parameters, now: now)
    message.version = copy.version
    message.batch.entries = copy.entries
    message.beginning.refer(to: copy)
    message.origin = origin
    message.journal = globals
    return message
  }

  /// The message that replaces all messages up to this head.
  ///
  /// - Parameters:
  ///   - history: The pages of the history, and its last entries and outcomes.
  ///   - dropped: The pages that are to be deleted then.
  /// - Returns: The message.
  func anchoring(_ history: PagedHistory, dropping dropped: [HistoryIndex.Node]) -> LogMessage {
    var message = LogMessage(
      kind: .anchor, epoch: epoch, version: history.version, number: count, at: at)
    message.content = LogMessage.Content(sequence: content, writer: writer)
    message.isEnded = status == .ended
    message.beginning.dropped = dropped
    message.journal = Journal()
    guard status == .stored else { return message }
    message.created = created
    message.beginning.refer(to: history)
    message.batch.entries = history.entries
    message.batch.outcomes = history.outcomes
    message.parameters = parameters
    message.hasParameters = hasParameters
    message.journal = journal
    message.unfinished = unfinished
    message.timers = timers
    message.keyed = keyed
    message.numbers = numbers
    return message
  }

  /// The message that ends the session.
  func ending(now: Timestamp) -> LogMessage {
    var message = LogMessage(kind: .end, epoch: epoch, version: version, at: now.milliseconds)
    message.isEnded = true
    message.journal = Journal()
    message.beginning = beginning.ended
    return message
  }

  /// A message that changes nothing.
  func voiding(now: Timestamp) -> LogMessage {
    var message = next(.void, epoch: epoch, now: now)
    message.isEnded = status == .ended
    guard status == .stored else {
      message.journal = Journal()
      message.beginning = beginning
      return message
    }
    message.at = at
    message.unfinished = unfinished
    message.timers = timers
    if base.count == 0 {
      message.journal = journal
    } else {
      message.base = LogMessage.Base(
        sequence: base.sequence, count: base.count + 1, size: base.size)
    }
    return message
  }

  private func next(_ kind: LogMessage.Kind, epoch: String, now: Timestamp) -> LogMessage {
    var message = LogMessage(
      kind: kind, epoch: epoch, version: version, number: count,
      at: status == .stored ? at : now.milliseconds)
    message.index = index
    message.first = first == 0 ? nil : first
    message.hasBeginning = first != 0 && hasBeginning
    message.hasParameters = hasParameters
    message.keyed = keyed
    message.numbers = numbers
    message.keys = keys
    if first == 0 { message.beginning.dropped = beginning.dropped }
    return message
  }

  /// The head after a message was stored, including the parameters, the pages and the journal,
  /// which the message does not repeat.
  func following(_ message: LogMessage, at sequence: Int, by writer: Writer?) -> SessionHead {
    var head = SessionHead(message, at: sequence, by: writer)
    guard head.status == .stored else { return head }
    if message.base != nil {
      head.journal = journal
      head.journal.apply(message.batch)
    }
    if message.first != nil { (head.parameters, head.beginning) = (parameters, beginning) }
    return head
  }
}

extension LogMessage {
  /// The keys of the outcomes in the messages after the last complete block of an index that ends with this
  /// message, or `nil` if they are not known or too many.
  fileprivate func keysOfBlock(_ index: HistoryIndex) -> KeyHashes? {
    guard index.hasIncompleteBlock else { return KeyHashes() }
    guard var keys else { return nil }
    keys.add(batch.outcomes)
    return keys.count <= SessionHead.keyBound ? keys : nil
  }
}

extension Beginning {
  /// Names the pages of a history.
  mutating func refer(to history: PagedHistory) {
    (pages, keys) = (history.pages, history.keys)
    (floor, snapshot) = (history.floor, history.snapshot)
  }
}
