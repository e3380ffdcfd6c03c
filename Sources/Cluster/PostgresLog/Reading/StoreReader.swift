internal import ReactorLog

/// A session's row: its record, and the write that has changed it last.
struct StoredHead: Sendable {
  var record = SessionRecord.none
  var writer: Int64 = 0
  var stamp: Int64 = 0
}

/// Reads from a connection.
struct StoreReader {
  let connection: PostgresConnection
  let statements: ReadStatements
  let deadline: Int64

  func rows(_ sql: SQL, _ parameters: Parameters) throws(PostgresError) -> Rows {
    try connection.execute(sql, parameters, deadline: deadline)
  }

  /// Reads the row of a session.
  ///
  /// The schema is the fingerprint of its State and Mutation, or `nil` if it is unknown.
  func head(
    of key: StoredKey, schema: String? = nil
  ) throws(PostgresError) -> StoredHead {
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
    guard StoredValues.isEpoch(epoch), StoredValues.areCounts(version),
      StoredValues.areTimes(active)
    else {
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
  ) throws(PostgresError) -> (LoadedSession, StoredHead) {
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

  /// The sessions of a reactor that have not ended, after an id; those with a damaged id are skipped.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(PostgresError) -> [SessionSummary] {
    var summaries: [SessionSummary] = []
    var last = id ?? ""
    while summaries.count < limit {
      let wanted = limit - summaries.count
      let page = try rows(statements.sessions, .of(reactor, last, wanted))
      for index in 0..<page.count {
        let (id, epoch, version, active) = try page.row(
          index, as: (String, String, Int, Int64).self)
        last = id
        guard StoredValues.key(reactor: reactor, id: id) != nil else { continue }
        // A session with damaged numbers is listed, and cannot be loaded.
        summaries.append(
          SessionSummary(
            id: id, cursor: Cursor(epoch: epoch, version: StoredValues.counts.nearest(version)),
            subscribers: 0,
            lastActiveAt: Timestamp(milliseconds: StoredValues.times.nearest(active))))
      }
      if page.count < wanted { break }
    }
    return summaries
  }

  /// The entries of a session after a version.
  ///
  /// - Throws: If the first entry is damaged or follows a gap; a later one ends the page.
  func entries(
    of key: StoredKey, after version: Int, limit: Int
  ) throws(PostgresError) -> [LogEntry] {
    guard limit > 0 else { return [] }
    let version = max(0, version)
    let rows = try rows(statements.entries, key.parameters(version, limit))
    var entries: [LogEntry] = []
    for index in 0..<rows.count {
      let (entry, damage) = try rows.verifiedEntry(index)
      if let damage {
        guard entries.isEmpty else { break }
        throw PostgresError(state: "XX001", message: damage)
      }
      if let last = entries.last, entry.version != last.version + 1 { break }
      entries.append(entry)
    }
    // Retention deletes the oldest entries: a gap is damage if there is an entry before it.
    if let first = entries.first, first.version > version + 1, version > 0,
      try self.rows(statements.hasEarlierEntries, key.parameters(version)).isTrue()
    {
      throw PostgresError(state: "XX001", message: "version \(version + 1) is missing")
    }
    return entries
  }

  /// The latest undamaged snapshot of a session at or before a version, with a schema; `nil` accepts any schema.
  ///
  /// - Throws: If all these snapshots are damaged, and the log does not begin with version 1.
  func snapshot(
    of key: StoredKey, atOrBefore version: Int, schema: String?
  ) throws(PostgresError) -> Snapshot? {
    var bound = version
    var damaged: Int?
    while true {
      let rows =
        if let schema {
          try rows(statements.snapshot, key.parameters(bound, schema))
        } else {
          try rows(statements.anySnapshot, key.parameters(bound))
        }
      guard
        let (version, state, schema, checksum, epoch) = try rows.first(
          as: (Int, [UInt8], String, UInt64, String?).self)
      else { break }
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      if StoredValues.areCounts(version),
        checksum == EntryChain.checksum(of: snapshot, in: EntryChain.seed(epoch ?? ""))
      {
        return snapshot
      }
      damaged = damaged ?? version
      guard version > .min else { break }
      bound = version - 1
    }
    if let damaged, try !rows(statements.hasFirstEntry, key.parameters).isTrue() {
      throw PostgresError(
        state: "XX001", message: "the snapshot of version \(damaged) does not match its checksum")
    }
    return nil
  }

  func acceptedActions(of key: StoredKey) throws(PostgresError) -> [AcceptedAction] {
    let rows = try rows(statements.accepted, key.parameters)
    var actions: [AcceptedAction] = []
    for index in 0..<rows.count { actions.append(try rows.acceptedAction(index)) }
    return actions
  }

  func outcome(of name: String, in key: StoredKey) throws(PostgresError) -> StoredOutcome? {
    let former = IdempotencyKey.formerName(of: name) ?? name
    let rows = try rows(
      statements.outcome, key.parameters(Array(name.utf8), Array(former.utf8)))
    guard
      let (name, body, at, version, failure) = try rows.first(
        as: ([UInt8], String, Timestamp, Int, [UInt8]?).self)
    else { return nil }
    guard StoredValues.areCounts(version), StoredValues.areTimes(at) else {
      throw .damaged("outcome of a key of \(key.key)")
    }
    return StoredOutcome(
      key: IdempotencyKey(stored: String(decoding: name, as: UTF8.self), body: body), at: at,
      version: version,
      failure: try failure.map { (json) throws(PostgresError) in try .stored(json) })
  }

  func timers(of key: StoredKey) throws(PostgresError) -> [StoredTimer] {
    let rows = try rows(statements.timers, key.parameters)
    var timers: [StoredTimer] = []
    for index in 0..<rows.count { timers.append(try rows.timer(index)) }
    return timers
  }

  /// The timers of all sessions after a position that are due until a time; damaged ones are skipped.
  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(PostgresError) -> DueTimers {
    var position = position ?? TimerPosition(before: Timestamp(milliseconds: .min))
    var timers: [DueTimer] = []
    while timers.count < limit {
      let wanted = limit - timers.count
      let page = try rows(
        statements.dueTimers, .of(position.due, position.history, position.id, time, wanted))
      for index in 0..<page.count {
        let (reactor, session, due, history, id) = try page.row(
          index, as: (String, String, Timestamp, Int64, String).self)
        position = TimerPosition(due: due, history: history, id: id)
        guard let key = StoredValues.key(reactor: reactor, id: session),
          SessionKey.isValid(id: id), StoredValues.areTimes(due)
        else { continue }
        timers.append(DueTimer(key: key, position: position))
      }
      if page.count < wanted { break }
    }
    guard timers.count < limit else { return DueTimers(timers, next: nil) }
    return DueTimers(
      timers, next: try self.rows(statements.nextTimer, .of(time)).first(as: Timestamp.self))
  }

  /// The stored failures of a reactor, the latest first; damaged ones are skipped.
  func failures(of reactor: String) throws(PostgresError) -> [StoredFailure] {
    let rows = try rows(statements.failures, .of(reactor))
    return try rows.map(
      as: (String, String, Timestamp, [UInt8], [UInt8]?, [UInt8]?, [UInt8]).self
    ) { id, session, at, action, principal, context, failure -> StoredFailure? in
      guard SessionKey.isValid(id: id), SessionKey.isValid(id: session), StoredValues.areTimes(at),
        let failure = ActionFailure(json: failure)
      else { return nil }
      return StoredFailure(
        id: id, session: session, at: at, action: action, principal: principal, context: context,
        failure: failure)
    }.compactMap { $0 }
  }

  func sharedValue(_ name: String) throws(PostgresError) -> SharedValue? {
    let row = try rows(statements.shared, .of(name)).first(
      as: (String, Int, UInt64, [UInt8]).self)
    guard let (epoch, version, revision, json) = row else { return nil }
    guard StoredValues.isEpoch(epoch), StoredValues.areCounts(version) else {
      throw .damaged("global \(name)")
    }
    return SharedValue(epoch: epoch, version: version, revision: revision, json: json)
  }

  /// The sessions after a key that have accepted actions; those with a damaged key are skipped.
  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(PostgresError) -> [SessionKey] {
    var keys: [SessionKey] = []
    var last = (key?.reactor ?? "", key?.id ?? "")
    while keys.count < limit {
      let wanted = limit - keys.count
      let page = try rows(statements.unfinished, .of(last.0, last.1, wanted))
      for index in 0..<page.count {
        last = try page.row(index, as: (String, String).self)
        if let key = StoredValues.key(reactor: last.0, id: last.1) { keys.append(key) }
      }
      if page.count < wanted { break }
    }
    return keys
  }

  func changes(
    after number: Int, upTo latest: Int, limit: Int
  ) throws(PostgresError) -> [StoreChange] {
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
  ) throws(PostgresError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      let columns = try row(index, as: type)
      values.append(body(repeat each columns))
    }
    return values
  }

  func entry(_ index: Int) throws(PostgresError) -> LogEntry {
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

  /// An entry with its damage; the row ends with the checksum and the epoch of its session.
  func verifiedEntry(_ index: Int) throws(PostgresError) -> (LogEntry, damage: String?) {
    let (version, at, action, global, revision, mutation, by, checksum, epoch) = try row(
      index,
      as: (
        Int, Timestamp, [UInt8]?, String?, UInt64?, [UInt8], [UInt8]?, UInt64, String?
      ).self)
    let entry = LogEntry(
      version: version, at: at, action: action,
      global: global.map { LogEntry.GlobalMark(name: $0, revision: revision ?? 0) },
      mutation: mutation, by: by.map { String(decoding: $0, as: UTF8.self) })
    guard StoredValues.areCounts(version), StoredValues.areTimes(at) else {
      return (entry, "version \(version) has an invalid value")
    }
    let isSound = checksum == EntryChain.checksum(of: entry, in: EntryChain.seed(epoch ?? ""))
    return (entry, isSound ? nil : "version \(version) does not match its checksum")
  }

  func acceptedAction(_ index: Int) throws(PostgresError) -> AcceptedAction {
    let (
      request, place, at, runs, action, isInArray, key, body, failure, principal, sendName, context
    ) = try row(
      index,
      as: (
        Int, Int, Timestamp, Int, [UInt8], Bool, [UInt8]?, String?, [UInt8]?, [UInt8]?, String?,
        [UInt8]?
      ).self)
    guard StoredValues.areCounts(request, place, runs), StoredValues.areTimes(at),
      key == nil || body != nil, principal.map(StoredValues.isObject) ?? true
    else { throw .damaged("accepted action \(request)-\(place)") }
    return AcceptedAction(
      id: AcceptedAction.ID(request: request, place: place), action: action, isInArray: isInArray,
      key: key.map {
        IdempotencyKey(stored: String(decoding: $0, as: UTF8.self), body: body ?? "")
      },
      principal: principal, context: context, at: at, runs: runs,
      failure: try failure.map { (json) throws(PostgresError) in try .stored(json) },
      sendName: sendName)
  }

  func timer(_ index: Int) throws(PostgresError) -> StoredTimer {
    let (id, due, action, period, catchesUp) = try row(
      index, as: (String, Timestamp, [UInt8], Int64?, Bool).self)
    guard SessionKey.isValid(id: id), StoredValues.areTimes(due),
      period.map({ StoredValues.periods.contains($0) }) ?? true
    else { throw .damaged("timer \(id)") }
    return StoredTimer(id: id, due: due, action: action, period: period, catchesUp: catchesUp)
  }
}

extension ActionFailure {
  /// Decodes a stored failure.
  static func stored(_ json: [UInt8]) throws(PostgresError) -> ActionFailure {
    guard let failure = ActionFailure(json: json) else { throw .damaged("a failure") }
    return failure
  }
}
