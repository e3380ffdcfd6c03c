internal import ReactorLog

/// One message of a session in a LOG stream: a batch with the positions of the messages before it.
///
/// The payload is one JSON object; see ``json(expecting:)`` for its members.
struct LogMessage: Equatable, Sendable {
  /// The format that this release writes and reads.
  static let format = 1

  /// The kind of a message.
  enum Kind: String, Sendable {
    /// Begins a history.
    case create
    /// Contains changes; the first one of a session begins its history.
    case batch
    /// Ends the session.
    case end
    /// A no-op. It takes the place of a batch whose outcome is unknown, so that the batch cannot be
    /// stored later; it also confirms the end of the log, and reserves the log of a fork's target.
    case void
    /// Repeats everything that the session needs of the messages before it, so that these can be
    /// deleted. Any process can append it: the writer of the session does not change, and continues
    /// after it.
    case anchor
  }

  /// The history that a fork has copied.
  struct Origin: Equatable, Sendable {
    /// The id of the other session of the reactor.
    let session: String
    /// The last version that was copied.
    let version: Int
  }

  /// The last message that is no anchor.
  struct Content: Equatable, Sendable {
    let sequence: Int
    let writer: Writer?
  }

  /// The message that contains the complete journal.
  struct Base: Equatable, Sendable {
    let sequence: Int
    /// The number of messages after it, this one included.
    let count: Int
    /// The approximate size of the journal's changes in these, in bytes.
    let size: Int
  }

  var kind: Kind
  /// Whether the session has ended: true for an end, and for void messages and anchors after it.
  var isEnded = false
  /// The name of the history; empty for a void message of a session that was never stored.
  var epoch: String
  /// The version before the batch.
  var version: Int
  /// The number of messages before this one in the history.
  var number = 0
  /// The time of the last entry, or of the creation, in milliseconds.
  var at: Int64
  /// The time of the creation, in milliseconds: in anchors and imported sessions, whose first message is
  /// later.
  var created: Int64?
  /// The messages before this one, from the one that begins the index on.
  var index = HistoryIndex()
  /// The message that begins the index: the last anchor, or the first message of the history, or `nil` for
  /// that message itself.
  var first: Int?
  /// Whether the session has parameters.
  var hasParameters = false
  /// The parameters of the session, as JSON; in the message that begins the index.
  var parameters: [UInt8]?
  /// The history that a fork has copied; in the first message only.
  var origin: Origin?
  /// The pages before this message, if it begins an index.
  var beginning = Beginning()
  /// Whether ``beginning`` of the message that begins the index is not empty.
  var hasBeginning = false
  /// The last message that is no anchor; in anchors only.
  var content: Content?
  /// The changes.
  ///
  /// A fork and an anchor have the latest entries and outcomes of the history, which are
  /// too few for a page.
  var batch = LogBatch()
  /// The complete journal after the batch, in a base.
  var journal: Journal?
  /// The last base before this message, or `nil` if the message is a base.
  var base: Base?
  /// The numbers of unfinished actions and of timers after the batch.
  var unfinished = 0
  var timers = 0
  /// The number of outcomes of idempotency keys in the history, this message included.
  var keyed = 0
  /// The highest numbers of numbered keys in the history, this message included.
  var numbers = NumberMarks()
  /// The keys of the outcomes in the messages before this one that are after the last complete
  /// block of the index, or `nil` if they are not known.
  var keys: KeyHashes? = KeyHashes()

  /// The time of the creation, if this message knows it: the first one of a history, and anchors since
  /// release 0.2.
  var creation: Int64? {
    if let created { return created }
    guard first == nil, number == 0 else { return nil }
    switch kind {
    case .create: return at
    case .batch: return batch.entries.first?.at.milliseconds ?? at
    case .end, .void, .anchor: return nil
    }
  }

  /// The version after the batch.
  var lastVersion: Int { version + batch.entries.count }
}
