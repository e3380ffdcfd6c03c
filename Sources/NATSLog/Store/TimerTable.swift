internal import ReactorLog
internal import Synchronization

/// The timers of all sessions, in the order in which they are due.
///
/// It is read when it is first needed, and follows the appends of this process from then on. Timers that
/// other processes set or remove are noticed when their session is read.
final class TimerTable: Sendable {
  private struct Entry {
    /// The sequence of the message after which the session has these timers.
    var sequence: Int
    var positions: [TimerPosition]
  }

  private struct Contents {
    var index = TimerIndex()
    var sessions: [SessionKey: Entry] = [:]
    /// The messages that removed the last timer of their session, the oldest first.
    var emptied: [(key: SessionKey, sequence: Int)] = []
    /// The number of elements of `emptied`, from the first on, that were removed from `sessions`.
    var forgotten = 0

    /// Notes that a session has no timers, and forgets another one that lost its timers long ago.
    mutating func didEmpty(_ key: SessionKey, at sequence: Int) {
      emptied.append((key, sequence))
      guard emptied.count - forgotten > TimerTable.emptiedBound else { return }
      let oldest = emptied[forgotten]
      if sessions[oldest.key]?.sequence == oldest.sequence { sessions[oldest.key] = nil }
      forgotten += 1
      guard forgotten > TimerTable.emptiedBound else { return }
      emptied.removeFirst(forgotten)
      forgotten = 0
    }
  }

  /// The maximum number of sessions without timers that are known to have had some.
  ///
  /// Their entries prevent that an older message, which is read later, restores the timers. A
  /// message is read soon after it was written, so that only the latest entries matter. A timer
  /// that is restored has no effect when it is due.
  static let emptiedBound = 10_000

  private let contents = Mutex(Contents())

  /// Sets the timers of a session, unless those of a later message are known.
  func set(_ head: SessionHead, of key: SessionKey, in names: StoreNames) {
    // The number of the history: the sequence of the message that begins its index, and the number
    // of the stream.
    let history = Int64(head.first &* names.logStreams &+ names.logNumber(of: key))
    let positions = head.journal.timers.values.map {
      TimerPosition(due: $0.due, history: history, id: $0.id)
    }
    contents.withLock { contents in
      let known = contents.sessions[key]
      guard known?.sequence ?? -1 < head.sequence else { return }
      for position in known?.positions ?? [] { contents.index.remove(at: position) }
      for position in positions {
        contents.index.insert(DueTimer(key: key, position: position))
      }
      // Without timers there is an entry as well, so that an older message that is read later does
      // not restore them.
      contents.sessions[key] = Entry(sequence: head.sequence, positions: positions)
      if positions.isEmpty { contents.didEmpty(key, at: head.sequence) }
    }
  }

  /// Sets the timers of a session that was read, if it has some, or if the table has some of it.
  func refresh(_ head: SessionHead, of key: SessionKey, in names: StoreNames) {
    guard !head.journal.timers.isEmpty || has(key) else { return }
    set(head, of: key, in: names)
  }

  private func has(_ key: SessionKey) -> Bool {
    contents.withLock { $0.sessions[key]?.positions.isEmpty == false }
  }

  /// The sessions that have timers.
  var keys: [SessionKey] {
    contents.withLock { $0.sessions.filter { !$0.value.positions.isEmpty }.map(\.key) }
  }

  /// The timers after a position that are due until a time.
  func due(after position: TimerPosition?, until time: Timestamp, limit: Int) -> DueTimers {
    contents.withLock { $0.index.due(after: position, until: time, limit: limit) }
  }

  /// The number of timers.
  var count: Int { contents.withLock { $0.index.count } }

  /// The number of sessions that have timers, or have lost them recently.
  var sessionCount: Int { contents.withLock { $0.sessions.count } }
}
