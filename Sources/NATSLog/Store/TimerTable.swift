internal import ReactorLog
internal import Synchronization

/// The timers of all sessions, in the order in which they are due.
///
/// It is read when it is first needed, and follows the appends of this process from then on. Timers that
/// other processes set or remove are noticed when their session is read.
final class TimerTable: Sendable {
  private struct Entry {
    /// The sequence of the message that the timers are of.
    var sequence: Int
    var positions: [TimerPosition]
  }

  private struct Contents {
    var index = TimerIndex()
    var sessions: [SessionKey: Entry] = [:]
  }

  private let contents = Mutex(Contents())

  /// Sets the timers of a session, unless those of a later message are known.
  func set(_ head: SessionHead, of key: SessionKey, in names: StoreNames) {
    // The number of the history: its first message, unique together with the stream.
    let history = Int64(head.first * names.logStreams + names.logNumber(of: key))
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
      // Also without timers, so that an older message that is read later does not bring them back.
      contents.sessions[key] = Entry(sequence: head.sequence, positions: positions)
    }
  }

  /// Sets the timers of a session that was read, if it has some or is known to have had some.
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
}
