internal import ReactorLog

/// The last messages of a session's log that its process has appended since the last anchor.
///
/// They are moved into pages without being read from the brokers again, which would cost a request
/// per message. A message of the log never changes, so that the list is correct as long as each
/// message follows the one before it. A message that does not follow clears the list before it is
/// added. Messages before the list are read from the brokers.
struct RecentMessages: Sendable {
  /// The parts of a message that pages and anchors contain.
  struct Message: Sendable {
    let sequence: Int
    let entries: [LogEntry]
    let outcomes: [StoredOutcome]
  }

  /// The maximum size of a session's messages, in bytes.
  static let bound = 262_144

  /// The maximum size of all sessions' messages in a process, in bytes.
  static let totalBound = 33_554_432

  /// The approximate size, in bytes.
  private(set) var size = 0

  private var messages: [Message] = []
  /// The message that begins the index, if it is one of them, and the time of the creation, see
  /// ``LogMessage/creation``.
  private var first: Int?
  private var creation: Int64?

  /// Adds a message that was appended.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - previous: The sequence of the message before it.
  ///   - sequence: Its own sequence.
  mutating func append(_ message: LogMessage, after previous: Int, at sequence: Int) {
    if message.first == nil || messages.last?.sequence != previous { self = RecentMessages() }
    if message.first == nil { (first, creation) = (sequence, message.creation) }
    let added = Message(
      sequence: sequence, entries: message.batch.entries, outcomes: message.batch.outcomes)
    messages.append(added)
    size += added.approximateSize
    if size > Self.bound { self = RecentMessages() }
  }

  /// The messages up to an end of the log, without a gap.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - sequence: Only messages after this sequence.
  /// - Returns: The messages in order; those that are not retained are missing from the front.
  func messages(of head: SessionHead, after sequence: Int) -> ArraySlice<Message> {
    guard let end = messages.lastIndex(where: { $0.sequence == head.sequence }) else { return [] }
    return messages[...end].drop { $0.sequence <= sequence || $0.sequence < head.first }
  }

  /// Whether the messages up to an end of the log include all after a sequence.
  func includesAll(of head: SessionHead, after sequence: Int) -> Bool {
    guard let first = messages.first, messages.contains(where: { $0.sequence == head.sequence })
    else { return false }
    return first.sequence <= max(sequence, head.first)
  }

  /// The time of the creation of the session, in milliseconds, or `nil` if it is not known.
  func creation(of head: SessionHead) -> Int64? { first == head.first ? creation : nil }
}

extension RecentMessages.Message {
  fileprivate var approximateSize: Int {
    96 + entries.reduce(0) { $0 + 128 + $1.approximateSize }
      + outcomes.reduce(0) { $0 + $1.approximateSize }
  }
}

extension LogEntry {
  /// The approximate size in a page, in bytes.
  var approximateSize: Int {
    64 + mutation.count + (action?.count ?? 0) + (by?.utf8.count ?? 0)
      + (global?.name.utf8.count ?? 0)
  }
}

extension StoredOutcome {
  /// The approximate size in a page, in bytes.
  var approximateSize: Int { 64 + 100 + key.name.utf8.count + 100 }
}
