internal import ReactorLog

/// The end of a session's log, as a writer or a reader knows it: the last message and everything that
/// the next one repeats.
struct SessionHead: Equatable, Sendable {
  /// A journal of at most this size is in every message.
  static let inlineJournal = 512
  /// The number of messages after which the journal is written again.
  static let baseInterval = 1024

  /// The existence of the session.
  enum Status: Equatable, Sendable {
    case none, ended, stored
  }

  var status = Status.none
  /// The sequence of the subject's last message; 0 for none.
  var sequence = 0
  var epoch = ""
  var version = 0
  /// The number of messages in the history.
  var count = 0
  /// The time of the last entry, or of the creation, in milliseconds.
  var at: Int64 = 0
  /// The messages of the history.
  var index = HistoryIndex()
  /// The first message of the history; 0 for none.
  var first = 0
  var hasParameters = false
  var parameters: [UInt8]?
  var origin: LogMessage.Origin?
  var journal = Journal()
  /// The last base, the last message included.
  var base = LogMessage.Base(sequence: 0, count: 0, size: 0)
  /// The number of messages with outcomes.
  var keyed = 0
  var unfinished = 0
  var timers = 0
  /// The writer of the last message.
  var writer: Writer?

  /// The end of the log of a session that was never stored.
  init() {}

  /// The end of a log by its last message.
  ///
  /// The journal is complete if the message is a base, else empty, and parameters are missing unless
  /// the message is the first one of the history.
  init(_ message: LogMessage, at sequence: Int, by writer: Writer?) {
    status = message.isEnded ? .ended : message.epoch.isEmpty ? .none : .stored
    self.sequence = sequence
    self.writer = writer
    guard status == .stored else { return }
    epoch = message.epoch
    version = message.lastVersion
    count = message.number + 1
    at = message.at
    index = message.index
    index.append(HistoryIndex.Position(version: message.version, sequence: sequence))
    first = message.first ?? sequence
    hasParameters = message.hasParameters
    parameters = message.parameters
    origin = message.origin
    journal = message.journal ?? Journal()
    base = message.base ?? LogMessage.Base(sequence: sequence, count: 0, size: 0)
    keyed = message.keyed
    unfinished = message.unfinished
    timers = message.timers
  }

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

  /// The message of a batch after this head.
  func appending(_ batch: LogBatch, to epoch: String, now: Timestamp) -> LogMessage {
    var message = next(.batch, epoch: epoch, now: now)
    if status == .none { message.parameters = batch.parameters }
    message.batch = batch
    message.batch.parameters = nil
    message.at = batch.entries.last?.at.milliseconds ?? message.at
    var journal = journal
    journal.apply(batch)
    message.unfinished = journal.accepted.count
    message.timers = journal.timers.count
    message.keyed += batch.outcomes.isEmpty ? 0 : 1
    message.hasParameters = message.hasParameters || message.parameters != nil
    let next = LogMessage.Base(
      sequence: base.sequence, count: base.count + 1, size: base.size + batch.journalSize)
    if count == 0 || journal.size <= Self.inlineJournal || next.count >= Self.baseInterval
      || max(next.size, 64 * next.count) > max(4096, journal.size)
    {
      message.journal = journal
    } else {
      message.base = next
    }
    return message
  }

  /// The message that begins a history after this head.
  func creating(
    _ epoch: String, parameters: [UInt8]?, from origin: LogMessage.Origin? = nil,
    globals: Journal = Journal(), now: Timestamp
  ) -> LogMessage {
    var message = LogMessage(
      kind: .create, epoch: epoch, version: origin?.version ?? 0, at: now.milliseconds)
    message.parameters = parameters
    message.hasParameters = parameters != nil
    message.origin = origin
    message.journal = globals
    return message
  }

  /// The message that ends the session.
  func ending(now: Timestamp) -> LogMessage {
    var message = LogMessage(kind: .end, epoch: epoch, version: version, at: now.milliseconds)
    message.isEnded = true
    message.journal = Journal()
    return message
  }

  /// A message that changes nothing.
  func voiding(now: Timestamp) -> LogMessage {
    var message = next(.void, epoch: epoch, now: now)
    message.isEnded = status == .ended
    guard status == .stored else {
      message.journal = Journal()
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
    message.hasParameters = hasParameters
    message.origin = origin
    message.keyed = keyed
    return message
  }

  /// The head after a message was stored, with what the message does not repeat.
  func following(_ message: LogMessage, at sequence: Int, by writer: Writer?) -> SessionHead {
    var head = SessionHead(message, at: sequence, by: writer)
    guard head.status == .stored else { return head }
    if message.base != nil {
      head.journal = journal
      head.journal.apply(message.batch)
    }
    if message.first != nil { head.parameters = parameters }
    return head
  }
}
