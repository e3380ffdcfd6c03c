internal import ReactorHost

/// Reading what is kept beside the mutations.
extension LogReader {
  /// The accepted actions of a session that were not finished.
  func acceptedActions(of key: SessionKey) throws(DatabaseError) -> [AcceptedAction] {
    try readAccepted.bind(1, text: key.reactor)
    try readAccepted.bind(2, text: key.id)
    defer { readAccepted.reset() }
    var actions: [AcceptedAction] = []
    while try readAccepted.step() {
      let id = AcceptedAction.ID(
        request: readAccepted.number(0), place: readAccepted.number(1))
      let name =
        readAccepted.isNull(6)
        ? nil : IdempotencyKey(stored: readAccepted.text(6), body: readAccepted.text(7))
      actions.append(
        AcceptedAction(
          id: id, action: readAccepted.bytes(4) ?? [], isInArray: readAccepted.integer(5) != 0,
          key: name, at: Timestamp(milliseconds: readAccepted.integer(2)),
          runs: readAccepted.number(3),
          failure: readAccepted.bytes(8).flatMap { ActionFailure(json: $0) }))
    }
    return actions
  }

  /// What was kept for an idempotency key of a session.
  func outcome(
    of name: String, in key: SessionKey
  ) throws(DatabaseError) -> KeptOutcome? {
    try readOutcome.bind(1, text: key.reactor)
    try readOutcome.bind(2, text: key.id)
    try readOutcome.bind(3, text: name)
    defer { readOutcome.reset() }
    guard try readOutcome.step() else { return nil }
    return KeptOutcome(
      key: IdempotencyKey(stored: name, body: readOutcome.text(0)),
      at: Timestamp(milliseconds: readOutcome.integer(1)), version: readOutcome.number(2),
      failure: readOutcome.bytes(3).flatMap { ActionFailure(json: $0) })
  }

  /// A value that all sessions share.
  func sharedValue(_ name: String) throws(DatabaseError) -> SharedValue? {
    try readShared.bind(1, text: name)
    defer { readShared.reset() }
    guard try readShared.step() else { return nil }
    return SharedValue(
      epoch: readShared.text(0), version: readShared.number(1),
      revision: UInt64(bitPattern: readShared.integer(2)), json: readShared.bytes(3) ?? [])
  }

  /// The sessions after one that have accepted actions.
  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(DatabaseError) -> [SessionKey] {
    try listUnfinished.bind(1, text: key?.reactor ?? "")
    try listUnfinished.bind(2, text: key?.id ?? "")
    try listUnfinished.bind(3, max(0, limit))
    defer { listUnfinished.reset() }
    var keys: [SessionKey] = []
    while try listUnfinished.step() {
      keys.append(SessionKey(reactor: listUnfinished.text(0), id: listUnfinished.text(1)))
    }
    return keys
  }
}
