internal import ReactorLog

/// Reading the journal, the outcomes and the globals.
extension LogReader {
  /// The accepted actions of a session that have not finished.
  func acceptedActions(of key: SessionKey) throws(DatabaseError) -> [AcceptedAction] {
    var actions: [AcceptedAction] = []
    try readAccepted.bind(key.reactor, key.id)
    defer { readAccepted.reset() }
    while let (
      request, place, at, runs, action, isInArray, key, body, failure, principal, sendName
    ) = try readAccepted.next(
      as: (
        Int, Int, Timestamp, Int, [UInt8], Bool, String?, String?, [UInt8]?, [UInt8]?, String?
      ).self)
    {
      actions.append(
        AcceptedAction(
          id: AcceptedAction.ID(request: request, place: place), action: action,
          isInArray: isInArray,
          key: key.map { IdempotencyKey(stored: $0, body: body ?? "") }, principal: principal,
          at: at, runs: runs, failure: failure.flatMap { ActionFailure(json: $0) },
          sendName: sendName))
    }
    return actions
  }

  /// The outcome of an idempotency key of a session.
  func outcome(of name: String, in key: SessionKey) throws(DatabaseError) -> StoredOutcome? {
    try readOutcome.first(
      key.reactor, key.id, name, as: (String, Timestamp, Int, [UInt8]?).self
    ).map { body, at, version, failure in
      StoredOutcome(
        key: IdempotencyKey(stored: name, body: body), at: at, version: version,
        failure: failure.flatMap { ActionFailure(json: $0) })
    }
  }

  /// The current value of a global.
  func sharedValue(_ name: String) throws(DatabaseError) -> SharedValue? {
    try readShared.first(name, as: (String, Int, UInt64, [UInt8]).self).map {
      SharedValue(epoch: $0, version: $1, revision: $2, json: $3)
    }
  }

  /// The sessions after a key that have accepted actions.
  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(DatabaseError) -> [SessionKey] {
    var keys: [SessionKey] = []
    try listUnfinished.bind(key?.reactor ?? "", key?.id ?? "", max(0, limit))
    defer { listUnfinished.reset() }
    while let (reactor, id) = try listUnfinished.next(as: (String, String).self) {
      keys.append(SessionKey(reactor: reactor, id: id))
    }
    return keys
  }
}
