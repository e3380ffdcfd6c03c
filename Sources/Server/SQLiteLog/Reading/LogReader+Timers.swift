internal import ReactorLog

/// Reading the timers.
extension LogReader {
  /// The timers of a session.
  ///
  /// - Throws: If one is damaged.
  func timers(of key: SessionKey) throws(DatabaseError) -> [StoredTimer] {
    var timers: [StoredTimer] = []
    try readTimers.bind(key.reactor, key.id)
    defer { readTimers.reset() }
    while let (id, due, action, period, catchesUp) = try readTimers.next(
      as: (String, Timestamp, [UInt8], Int64?, Bool).self)
    {
      guard SessionKey.isValid(id: id), StoredValues.areTimes(due),
        period.map({ StoredValues.periods.contains($0) }) ?? true
      else { throw .damaged("timer of \(key)") }
      timers.append(
        StoredTimer(id: id, due: due, action: action, period: period, catchesUp: catchesUp))
    }
    return timers
  }

  /// The timers of all sessions after a position that are due until a time; damaged ones are
  /// skipped.
  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(DatabaseError) -> DueTimers {
    var timers: [DueTimer] = []
    let position = position ?? TimerPosition(before: Timestamp(milliseconds: .min))
    try listDueTimers.bind(position.due, position.history, position.id, time)
    defer { listDueTimers.reset() }
    while timers.count < limit,
      let (reactor, session, due, history, id) = try listDueTimers.next(
        as: (String, String, Timestamp, Int64, String).self)
    {
      guard let key = StoredValues.key(reactor: reactor, id: session), SessionKey.isValid(id: id),
        StoredValues.areTimes(due)
      else { continue }
      timers.append(
        DueTimer(key: key, position: TimerPosition(due: due, history: history, id: id)))
    }
    guard timers.count < limit else { return DueTimers(timers, next: nil) }
    return DueTimers(timers, next: try findNextTimer.first(time, as: Timestamp.self))
  }

  /// The number of timers.
  func timerCount() throws(DatabaseError) -> Int {
    try countTimers.first(as: Int.self) ?? 0
  }
}
