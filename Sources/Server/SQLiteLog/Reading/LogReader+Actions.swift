internal import ReactorLog

/// Reading the journal, the outcomes and the globals.
extension LogReader {
  /// The accepted actions of a session that have not finished.
  ///
  /// - Throws: If one is damaged: without it, a request would be executed only in part.
  func acceptedActions(of key: SessionKey) throws(DatabaseError) -> [AcceptedAction] {
    var actions: [AcceptedAction] = []
    let session = key
    try readAccepted.bind(key.reactor, key.id)
    defer { readAccepted.reset() }
    while let (
      request, place, at, runs, action, isInArray, key, body, failure, principal, sendName,
      context, isPrincipal
    ) = try readAccepted.next(
      as: (
        Int, Int, Timestamp, Int, [UInt8], Bool, String?, String?, [UInt8]?, [UInt8]?, String?,
        [UInt8]?, Bool
      ).self)
    {
      let row = "accepted action \(request)-\(place) of \(session)"
      guard StoredValues.areCounts(request, place, runs), StoredValues.areTimes(at), isPrincipal,
        key == nil || body != nil
      else { throw .damaged(row) }
      actions.append(
        AcceptedAction(
          id: AcceptedAction.ID(request: request, place: place), action: action,
          isInArray: isInArray,
          key: key.map { IdempotencyKey(stored: $0, body: body ?? "") }, principal: principal,
          context: context, at: at, runs: runs, failure: try RowValues.failure(failure, of: row),
          sendName: sendName))
    }
    return actions
  }

  /// The outcome of an idempotency key of a session.
  func outcome(of name: String, in key: SessionKey) throws(DatabaseError) -> StoredOutcome? {
    let row = try readOutcome.first(
      key.reactor, key.id, name, IdempotencyKey.formerName(of: name) ?? name,
      as: (String, String, Timestamp, Int, [UInt8]?).self)
    guard let (name, body, at, version, failure) = row else { return nil }
    let outcome = "outcome of a key of \(key)"
    guard StoredValues.areCounts(version), StoredValues.areTimes(at) else {
      throw .damaged(outcome)
    }
    return StoredOutcome(
      key: IdempotencyKey(stored: name, body: body), at: at, version: version,
      failure: try RowValues.failure(failure, of: outcome))
  }

  /// The stored failures of a reactor, the latest first; damaged ones are skipped.
  func failures(of reactor: String) throws(DatabaseError) -> [StoredFailure] {
    var failures: [StoredFailure] = []
    try readFailures.bind(reactor)
    defer { readFailures.reset() }
    while let (id, session, at, action, principal, context, failure) = try readFailures.next(
      as: (String, String, Timestamp, [UInt8], [UInt8]?, [UInt8]?, [UInt8]).self)
    {
      guard SessionKey.isValid(id: id), SessionKey.isValid(id: session), StoredValues.areTimes(at),
        let failure = ActionFailure(json: failure)
      else { continue }
      failures.append(
        StoredFailure(
          id: id, session: session, at: at, action: action, principal: principal,
          context: context, failure: failure))
    }
    return failures
  }

  /// The current value of a global.
  func sharedValue(_ name: String) throws(DatabaseError) -> SharedValue? {
    let row = try readShared.first(name, as: (String, Int, UInt64, [UInt8]).self)
    guard let (epoch, version, revision, json) = row else { return nil }
    guard StoredValues.isEpoch(epoch), StoredValues.areCounts(version) else {
      throw .damaged("global \(name)")
    }
    return SharedValue(epoch: epoch, version: version, revision: revision, json: json)
  }

  /// The sessions after a key that have accepted actions; those with a damaged key are skipped.
  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(DatabaseError) -> [SessionKey] {
    var keys: [SessionKey] = []
    try listUnfinished.bind(key?.reactor ?? "", key?.id ?? "")
    defer { listUnfinished.reset() }
    while keys.count < limit,
      let (reactor, id) = try listUnfinished.next(as: (String, String).self)
    {
      if let key = StoredValues.key(reactor: reactor, id: id) { keys.append(key) }
    }
    return keys
  }
}
