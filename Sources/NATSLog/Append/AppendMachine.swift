/// The decisions of one append: what to send, what to read, and when the outcome is known.
///
/// ```
///              publish               duplicate, or another sequence
///   waiting ──────────────► reply ─────────────────────────────────► reading ──► committed
///      │  ▲                   │ sequence: committed                     │          or lost
///      │  └── repeat ─────────┘ no leader, in flight, behind            └── not found: waiting
///      │                          (behind or in flight for 2 s: reported)
///      │
///      └── deadline ──► voiding ──► void stored: unavailable · duplicate: reading · nothing: unknown
/// ```
///
/// Both conditions of the fence are in the message itself, so that repeating it is harmless: the
/// expected sequence, which a stream compares with the stored one, and a message id derived from it,
/// which the replicas compare in the order of the log. Pure: times come from the caller, in
/// milliseconds.
struct AppendMachine: Sendable {
  /// The message that is sent.
  enum Purpose: Sendable {
    case batch, void
  }

  /// A message that has to be read to know the outcome.
  enum Reading: Equatable, Sendable {
    /// The message at a sequence.
    case at(Int)
    /// The first message of the subject after a sequence. Not the last one: another writer may have
    /// appended further messages.
    case after(Int)
  }

  /// The next step.
  enum Step: Equatable, Sendable {
    case none
    case publish(Purpose)
    case read(Reading)
    /// Report that the leader has been behind for 2 s.
    ///
    /// `last` is the sequence of its last message of the subject, or `nil` if it has the id of the
    /// message without the message. `since` is the time at which that was first found.
    case report(last: Int?, since: Int64)
    case finish(Outcome)
  }

  /// The outcome of an append.
  enum Outcome: Equatable, Sendable {
    /// The message is stored at a sequence.
    case committed(Int)
    /// Another writer has appended a message after the expected one.
    case lost(to: Writer?)
    /// The stream is full; nothing was stored.
    case full
    /// The message is too large; nothing was stored.
    case tooLarge
    /// The message was not stored, and cannot be stored later.
    case unavailable
    /// The message may be stored.
    case unknown
    /// The stream rejects the message for another reason; nothing was stored.
    case rejected(String)
  }

  private enum Phase { case waiting, reading, finished }

  /// The time after which a message without a reply is sent again, in milliseconds.
  static let interval = RetryPause.longest
  /// The pause before a message is sent again because the leader has not applied all messages yet,
  /// in milliseconds.
  private static let pauseUntilCurrent: Int64 = 50
  /// How long a void message is repeated.
  static let voidTime: Int64 = 5_000

  private let expected: Int
  private let batch: WriterMark
  private let void: WriterMark
  private let deadline: Int64
  private var phase = Phase.waiting
  private(set) var purpose = Purpose.batch
  private var voidDeadline = Int64.max
  private var nextPublish: Int64
  private var pause = RetryPause()
  /// The time since which all replies show that the leader lacks the expected message, or has the
  /// id of the message without the message, or `nil` if the last reply does not.
  private var behindSince: Int64?
  /// The number of times the batch was passed to the connection.
  private(set) var published = 0

  /// Begins an append.
  ///
  /// - Parameters:
  ///   - expected: The sequence of the subject's last message.
  ///   - batch: The mark of the message.
  ///   - void: The mark of the void message.
  ///   - now: The time.
  ///   - wait: How long the batch is repeated until it is voided: `cluster.wait`.
  init(expecting expected: Int, batch: WriterMark, void: WriterMark, now: Int64, wait: Int64) {
    self.expected = expected
    self.batch = batch
    self.void = void
    deadline = now + wait
    nextPublish = now
  }

  /// Whether the outcome is known.
  var isFinished: Bool { phase == .finished }

  /// Time has passed.
  mutating func tick(_ now: Int64) -> Step {
    guard phase == .waiting else { return .none }
    if purpose == .batch, now >= deadline {
      guard published > 0 else { return finish(.unavailable) }
      purpose = .void
      voidDeadline = now + Self.voidTime
      nextPublish = now
    } else if purpose == .void, now >= voidDeadline {
      return finish(.unknown)
    }
    guard now >= nextPublish else { return .none }
    nextPublish = now + Self.interval
    return .publish(purpose)
  }

  /// The connection was restored: sends the message again, because the message or its reply can be
  /// lost with the previous connection.
  mutating func didReconnect(at now: Int64) -> Step {
    nextPublish = now
    return tick(now)
  }

  /// The message is about to be passed to the connection.
  mutating func willPublish(_ purpose: Purpose) {
    if purpose == .batch { published += 1 }
  }

  /// The connection has rejected the message.
  ///
  /// The append fails if the message is too large. After any other error it is repeated, because
  /// the connection recovers.
  mutating func didFailToPublish(_ purpose: Purpose, isTooLarge: Bool) -> Step {
    if purpose == .batch { published -= 1 }
    return isTooLarge && phase == .waiting && published == 0 ? finish(.tooLarge) : .none
  }

  /// A reply to one of the messages has arrived, possibly late.
  mutating func didReceive(_ reply: AppendReply, to purpose: Purpose, at now: Int64) -> Step {
    guard phase == .waiting else { return .none }
    if case .otherSequence(let last) = reply, last < expected {
      return didFindBehind(last, at: now)
    }
    if reply == .idInProcess { return didFindBehind(nil, at: now) }
    behindSince = nil
    switch reply {
    case .stored(let sequence, false):
      return finish(purpose == .batch ? .committed(sequence) : .unavailable)
    case .stored(let sequence, true): return read(.at(sequence))
    case .otherSequence(let last) where last > expected: return read(.after(expected))
    case .otherSequence: nextPublish = now + Self.pauseUntilCurrent
    case .inFlight: nextPublish = now + 20
    case .unavailable, .idInProcess: nextPublish = now + pause.take()
    case .full: return reject(.full, at: now)
    case .tooLarge: return reject(.tooLarge, at: now)
    case .rejected(let reason): return reject(.rejected(reason), at: now)
    }
    return .none
  }

  /// The message was read, or `nil` if there is none.
  mutating func didRead(_ found: (sequence: Int, mark: WriterMark?)?, at now: Int64) -> Step {
    guard phase == .reading else { return .none }
    guard let found else { return didFailToRead(at: now) }
    switch found.mark {
    case batch: return finish(.committed(found.sequence))
    case void: return finish(.unavailable)
    default: return finish(.lost(to: found.mark?.writer))
    }
  }

  /// The message could not be read: the append is repeated.
  mutating func didFailToRead(at now: Int64) -> Step {
    guard phase == .reading else { return .none }
    phase = .waiting
    nextPublish = now + Self.pauseUntilCurrent
    return .none
  }

  /// The leader's last message of the subject is older than the expected one: the leader is new and
  /// has not applied all messages yet, or it has lost messages.
  ///
  /// `last` is `nil` if the leader has the id of the message without the message. nats-server 2.15
  /// can retain the id of a message that was dropped when the broker lost its leadership, until
  /// `duplicate_window` is over. Another leader accepts the message.
  private mutating func didFindBehind(_ last: Int?, at now: Int64) -> Step {
    nextPublish = now + Self.pauseUntilCurrent
    let start = behindSince ?? now
    behindSince = start
    return now - start < LeaderDemotions.patience ? .none : .report(last: last, since: start)
  }

  private mutating func read(_ reading: Reading) -> Step {
    phase = .reading
    return .read(reading)
  }

  /// A rejection is final only if the message was published once: an earlier copy can be in flight
  /// and be stored.
  private mutating func reject(_ outcome: Outcome, at now: Int64) -> Step {
    guard purpose == .batch, published == 1 else {
      nextPublish = max(nextPublish, now + Self.interval)
      return .none
    }
    return finish(outcome)
  }

  private mutating func finish(_ outcome: Outcome) -> Step {
    phase = .finished
    return .finish(outcome)
  }
}
