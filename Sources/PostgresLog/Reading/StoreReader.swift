internal import ReactorLog

/// A session's row: its record, and the write that has changed it last.
struct StoredHead: Sendable {
  var record = SessionRecord.none
  var writer: Int64 = 0
  var stamp: Int64 = 0
}

/// Reads from a connection.
struct StoreReader {
  let connection: Connection
  let statements: ReadStatements
  let deadline: Int64

  func rows(_ sql: SQL, _ parameters: Parameters) throws(DatabaseError) -> Rows {
    try connection.execute(sql, parameters, deadline: deadline)
  }

  /// Reads the row of a session.
  ///
  /// The schema is the fingerprint of its State and Mutation; `nil` if it is unknown.
  func head(
    of key: StoredKey, schema: String? = nil
  ) throws(DatabaseError) -> StoredHead {
    let rows = try rows(statements.record, key.parameters)
    let row = try rows.first(
      as: (
        Bool, String, Int, Timestamp, Int64, Int64, Int64, [UInt8]?, String?, Int, Bool, Bool,
        ArrayValue<String>, ArrayValue<UInt64>
      ).self)
    guard
      let (
        isEnded, epoch, version, active, _, writer, stamp, parameters, types, former, isUnfinished,
        hasTimers, names, revisions
      ) = row
    else { return StoredHead() }
    guard !isEnded else { return StoredHead(record: .ended, writer: writer, stamp: stamp) }
    guard !epoch.isEmpty, StoredValues.areCounts(version), StoredValues.areTimes(active) else {
      throw .damaged("session \(key.key)")
    }
    let globals = Dictionary(zip(names.elements, revisions.elements)) { $1 }
    var stored = StoredSession(
      epoch: epoch, version: version, lastActiveAt: active, globals: globals,
      isUnfinished: isUnfinished, hasTimers: hasTimers, parameters: parameters)
    stored.formerVersion = types == schema || schema == nil ? former : version
    return StoredHead(record: .stored(stored), writer: writer, stamp: stamp)
  }

  /// Reads the data to continue a session.
  ///
  /// The statements read different states of the database. The claim of the row that is read first lets a write
  /// succeed only if no other process has changed anything since.
  func load(
    _ key: StoredKey, schema: String?
  ) throws(DatabaseError) -> (LoadedSession, StoredHead) {
    let head = try head(of: key, schema: schema)
    var loaded = LoadedSession(head.record)
    guard case .stored(let stored) = head.record else { return (loaded, head) }
    if stored.isUnfinished { loaded.acceptedActions = try acceptedActions(of: key) }
    if stored.hasTimers { loaded.timers = try timers(of: key) }
    guard stored.version > 0 else { return (loaded, head) }
    loaded.snapshot = try snapshot(of: key, atOrBefore: stored.version, schema: schema)
    if loaded.snapshot == nil, schema != nil,
      try !rows(statements.hasFirstEntry, key.parameters).isTrue()
    {
      loaded.snapshot = try snapshot(of: key, atOrBefore: stored.version, schema: nil)
    }
    let base = loaded.snapshot?.version ?? 0
    guard base < stored.version else { return (loaded, head) }
    loaded.entries = try entries(
      of: key, after: base, limit: min(LoadedSession.pageLength, stored.version - base))
    return (loaded, head)
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(DatabaseError) -> [SessionSummary] {
    let rows = try rows(statements.sessions, .of(reactor, id ?? "", max(0, limit)))
    return try rows.map(as: (String, String, Int, Int64).self) { id, epoch, version, active in
      SessionSummary(
        id: id, cursor: Cursor(epoch: epoch, version: StoredValues.counts.nearest(version)),
        subscribers: 0,
        lastActiveAt: Timestamp(milliseconds: StoredValues.times.nearest(active)))
    }
  }

  /// The entries of a session after a version.
  ///
  /// - Throws: If the first entry follows a gap; a later gap ends the page.
  func entries(
    of key: StoredKey, after version: Int, limit: Int
  ) throws(DatabaseError) -> [LogEntry] {
    guard limit > 0 else { return [] }
    let version = max(0, version)
    let rows = try rows(statements.entries, key.parameters(version, limit))
    var entries: [LogEntry] = []
    for index in 0..<rows.count {
      let entry = try rows.entry(index)
      if let last = entries.last, entry.version != last.version + 1 { break }
      entries.append(entry)
    }
    // Retention deletes the oldest entries: a gap is damage if there is an entry before it.
    if let first = entries.first, first.version > version + 1, version > 0,
      try self.rows(statements.hasEarlierEntries, key.parameters(version)).isTrue()
    {
      throw DatabaseError(state: "XX001", message: "version \(version + 1) is missing")
    }
    return entries
  }

  func snapshot(
    of key: StoredKey, atOrBefore version: Int, schema: String?
  ) throws(DatabaseError) -> Snapshot? {
    let rows =
      if let schema {
        try rows(statements.snapshot, key.parameters(version, schema))
      } else {
        try rows(statements.anySnapshot, key.parameters(version))
      }
    guard let (version, state, schema) = try rows.first(as: (Int, [UInt8], String).self) else {
      return nil
    }
    return Snapshot(version: version, state: state, schema: schema)
  }

  func acceptedActions(of key: StoredKey) throws(DatabaseError) -> [AcceptedAction] {
    let rows = try rows(statements.accepted, key.parameters)
    var actions: [AcceptedAction] = []
    for index in 0..<rows.count { actions.append(try rows.acceptedAction(index)) }
    return actions
  }

  func outcome(of name: String, in key: StoredKey) throws(DatabaseError) -> StoredOutcome? {
    let rows = try rows(statements.outcome, key.parameters(Array(name.utf8)))
    guard
      let (body, at, version, failure) = try rows.first(
        as: (String, Timestamp, Int, [UInt8]?).self)
    else { return nil }
    return StoredOutcome(
      key: IdempotencyKey(stored: name, body: body), at: at, version: version,
      failure: try failure.map { (json) throws(DatabaseError) in try .stored(json) })
  }

  func timers(of key: StoredKey) throws(DatabaseError) -> [StoredTimer] {
    let rows = try rows(statements.timers, key.parameters)
    var timers: [StoredTimer] = []
    for index in 0..<rows.count { timers.append(try rows.timer(index)) }
    return timers
  }

  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(DatabaseError) -> DueTimers {
    let position = position ?? TimerPosition(before: Timestamp(milliseconds: .min))
    let rows = try rows(
      statements.dueTimers, .of(position.due, position.history, position.id, time, max(1, limit)))
    let timers = try rows.map(as: (String, String, Timestamp, Int64, String).self) {
      reactor, session, due, history, id in
      DueTimer(
        key: SessionKey(reactor: reactor, id: session),
        position: TimerPosition(due: due, history: history, id: id))
    }
    guard timers.count < limit else { return DueTimers(timers, next: nil) }
    return DueTimers(
      timers, next: try self.rows(statements.nextTimer, .of(time)).first(as: Timestamp.self))
  }

  func failures(of reactor: String) throws(DatabaseError) -> [StoredFailure] {
    let rows = try rows(statements.failures, .of(reactor))
    return try rows.map(
      as: (String, String, Timestamp, [UInt8], [UInt8]?, [UInt8]?, [UInt8]).self
    ) { id, session, at, action, principal, context, failure -> StoredFailure? in
      guard let failure = ActionFailure(json: failure) else { return nil }
      return StoredFailure(
        id: id, session: session, at: at, action: action, principal: principal, context: context,
        failure: failure)
    }.compactMap { $0 }
  }

  func sharedValue(_ name: String) throws(DatabaseError) -> SharedValue? {
    let row = try rows(statements.shared, .of(name)).first(
      as: (String, Int, UInt64, [UInt8]).self)
    guard let (epoch, version, revision, json) = row else { return nil }
    guard !epoch.isEmpty, StoredValues.areCounts(version) else { throw .damaged("global \(name)") }
    return SharedValue(epoch: epoch, version: version, revision: revision, json: json)
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(DatabaseError) -> [SessionKey] {
    let rows = try rows(
      statements.unfinished, .of(key?.reactor ?? "", key?.id ?? "", max(0, limit)))
    return try rows.map(as: (String, String).self) { SessionKey(reactor: $0, id: $1) }
  }

  func changes(
    after number: Int, upTo latest: Int, limit: Int
  ) throws(DatabaseError) -> [StoreChange] {
    let rows = try rows(statements.changes, .of(number, latest, max(0, limit)))
    return try rows.map(
      as: (Int, Int, String?, String, String, Int, Int, String?, Timestamp, [UInt8]?).self
    ) { number, kind, reactor, session, epoch, version, first, origin, at, by in
      StoredChange.change(
        number, kind: kind, reactor: reactor, session: session, epoch: epoch, version: version,
        first: first, origin: origin, at: at, by: by.map { String(decoding: $0, as: UTF8.self) })
    }
  }
}

/// A session with its shard.
struct StoredKey: Sendable {
  let shard: Int16
  let key: SessionKey

  /// The parameters of a statement about the session.
  var parameters: Parameters { .of(shard, key.reactor, key.id) }

  func parameters<each Value: ParameterValue>(_ values: repeat each Value) -> Parameters {
    .of(shard, key.reactor, key.id, repeat each values)
  }
}

extension Rows {
  /// Transforms all rows.
  func map<each Column: ResultValue, Value>(
    as type: (repeat each Column).Type, _ body: (repeat each Column) -> Value
  ) throws(DatabaseError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      let columns = try row(index, as: type)
      values.append(body(repeat each columns))
    }
    return values
  }

  func entry(_ index: Int) throws(DatabaseError) -> LogEntry {
    let (version, at, action, global, revision, mutation, by) = try row(
      index, as: (Int, Timestamp, [UInt8]?, String?, UInt64?, [UInt8], [UInt8]?).self)
    guard StoredValues.areCounts(version), StoredValues.areTimes(at) else {
      throw .damaged("version \(version)")
    }
    return LogEntry(
      version: version, at: at, action: action,
      global: global.map { LogEntry.GlobalMark(name: $0, revision: revision ?? 0) },
      mutation: mutation, by: by.map { String(decoding: $0, as: UTF8.self) })
  }

  func acceptedAction(_ index: Int) throws(DatabaseError) -> AcceptedAction {
    let (
      request, place, at, runs, action, isInArray, key, body, failure, principal, sendName, context
    ) = try row(
      index,
      as: (
        Int, Int, Timestamp, Int, [UInt8], Bool, [UInt8]?, String?, [UInt8]?, [UInt8]?, String?,
        [UInt8]?
      ).self)
    guard StoredValues.areCounts(request, place, runs), StoredValues.areTimes(at) else {
      throw .damaged("accepted action \(request)-\(place)")
    }
    return AcceptedAction(
      id: AcceptedAction.ID(request: request, place: place), action: action, isInArray: isInArray,
      key: key.map {
        IdempotencyKey(stored: String(decoding: $0, as: UTF8.self), body: body ?? "")
      },
      principal: principal, context: context, at: at, runs: runs,
      failure: try failure.map { (json) throws(DatabaseError) in try .stored(json) },
      sendName: sendName)
  }

  func timer(_ index: Int) throws(DatabaseError) -> StoredTimer {
    let (id, due, action, period, catchesUp) = try row(
      index, as: (String, Timestamp, [UInt8], Int64?, Bool).self)
    guard StoredValues.areTimes(due), period.map({ StoredValues.periods.contains($0) }) ?? true
    else { throw .damaged("timer \(id)") }
    return StoredTimer(id: id, due: due, action: action, period: period, catchesUp: catchesUp)
  }
}

extension ActionFailure {
  /// Decodes a stored failure.
  static func stored(_ json: [UInt8]) throws(DatabaseError) -> ActionFailure {
    guard let failure = ActionFailure(json: json) else { throw .damaged("a failure") }
    return failure
  }
}
