internal import ReactorLog

/// Turns the writes of a group into statements and their parameters.
struct GroupEncoder {
  /// The meaning of a statement's result.
  enum Role {
    /// The stamps of the writes that have changed nothing, and one row more.
    case seal
    /// The number of the last change.
    case feed
    case other
  }

  struct Message {
    let sql: SQL
    let parameters: Parameters
    var role = Role.other
  }

  private let statements: GroupStatements
  private let writer: Int64
  private let hasFeed: Bool
  private let now = Timestamp.now
  private var messages: [Message] = []
  private var fenced = RowArrays()
  private var sealed = RowArrays()
  private var creations = RowArrays()
  private var replacements = RowArrays()
  private var ends = RowArrays()
  private var snapshots = RowArrays()
  private var shares: [Parameters] = []
  private var trimmed = RowArrays()
  private var parts: [RowArrays] = Array(
    repeating: RowArrays(), count: GroupStatements.Part.allCases.count)
  private var hasOthers = false

  /// The statements of a group.
  ///
  /// - Parameters:
  ///   - group: The writes.
  ///   - previous: The number of the group before it.
  ///   - context: The writer's properties.
  /// - Returns: The statements, in order.
  static func messages(
    of group: WriteGroup, after previous: Int64, _ context: WriterContext
  ) -> [Message] {
    var encoder = GroupEncoder(context)
    // Sorted, so that the transactions of several processes lock rows in the same order.
    let sorted = group.writes.indices
      .map { (shard: context.shard(of: group.writes[$0]), place: $0) }
      .sorted { left, right in
        guard left.shard == right.shard else { return left.shard < right.shard }
        let (one, other) = (group.writes[left.place].key, group.writes[right.place].key)
        return (one.reactor, one.id, left.place) < (other.reactor, other.id, right.place)
      }
    for (shard, place) in sorted {
      encoder.add(
        group.writes[place], shard, stamp: WriteGroup.stamp(group.number, place), context)
    }
    return encoder.finish(previous: previous, number: group.number)
  }

  private init(_ context: WriterContext) {
    statements = context.statements
    writer = context.writer
    hasFeed = context.hasFeed
  }

  private mutating func add(
    _ write: PendingWrite, _ shard: Int16, stamp: Int64, _ context: WriterContext
  ) {
    switch write.request.operation {
    case .append(let key, let batch, let epoch, let version):
      let types = context.schemas[key.reactor]
      let (owner, turn) = write.session?.claim ?? (nil, nil)
      fenced.append(
        shard, key.reactor, key.id, stamp, epoch, version, batch.entries.count,
        batch.entries.first?.at ?? now, batch.entries.last?.at ?? now, batch.parameters, types,
        owner, turn)
      sealed.append(shard, key.reactor, key.id, stamp)
      add(batch, after: version, Row(shard, key, stamp), epoch: epoch)
    case .create(let key, let epoch, let parameters, let replacesEnded):
      hasOthers = true
      let types = context.schemas[key.reactor]
      if replacesEnded {
        replacements.append(shard, key.reactor, key.id, stamp, epoch, parameters, types)
      } else {
        creations.append(shard, key.reactor, key.id, stamp, epoch, parameters, types)
      }
      sealed.append(shard, key.reactor, key.id, stamp)
      change(Row(shard, key, stamp), .began(forkedFrom: nil), version: 0, at: now)
    case .end(let key):
      hasOthers = true
      ends.append(shard, key.reactor, key.id, stamp)
      change(Row(shard, key, stamp), .ended, version: nil, at: now)
    case .save(let key, let snapshot, let epoch):
      hasOthers = true
      snapshots.append(
        shard, key.reactor, key.id, epoch, snapshot.version, snapshot.state, snapshot.schema,
        EntryChain.checksum(of: snapshot, in: EntryChain.seed(epoch)))
    case .share(let value, let name):
      hasOthers = true
      shares.append(
        .of(
          writer, name, value.epoch, value.version, value.revision, value.json, stamp,
          write.revision,
          now))
      sealed.append(ShardMap.common, "", name, stamp)
    case .fork, .maintenance: hasOthers = true
    }
  }

  /// The session of a row, and the stamp that its fence has written.
  private struct Row {
    let shard: Int16
    let key: SessionKey
    let stamp: Int64

    init(_ shard: Int16, _ key: SessionKey, _ stamp: Int64) {
      (self.shard, self.key, self.stamp) = (shard, key, stamp)
    }
  }

  private mutating func append<each Value: ParameterValue>(
    _ part: GroupStatements.Part, _ row: Row, _ values: repeat (each Value)?
  ) {
    parts[part.rawValue].append(
      row.shard, row.key.reactor, row.key.id, row.stamp, repeat each values)
  }

  private mutating func add(
    _ batch: LogBatch, after version: Int, _ row: Row, epoch: String
  ) {
    let seed = EntryChain.seed(epoch)
    for entry in batch.entries {
      append(
        .mutations, row, entry.version, entry.at, entry.action, entry.global?.name,
        entry.global?.revision, entry.mutation, entry.by.map { Array($0.utf8) },
        EntryChain.checksum(of: entry, in: seed))
    }
    // A statement changes a row once: the last value of each key counts.
    var marks: [String: UInt64] = [:]
    for entry in batch.entries {
      if let global = entry.global { marks[global.name] = global.revision }
    }
    for mark in batch.received { marks[mark.name] = mark.revision }
    for (name, revision) in marks { append(.globals, row, name, revision) }
    for action in batch.accepted.latest(by: \.id) {
      append(
        .accepted, row, action.id.request, action.id.place, action.at, action.runs, action.action,
        action.isInArray, action.key.map { Array($0.name.utf8) }, action.key?.body,
        action.failure?.json, action.principal, action.sendName, action.context)
    }
    for id in batch.finished { append(.finished, row, id.request, id.place) }
    for outcome in batch.outcomes.latest(by: \.key.name) {
      append(
        .outcomes, row, Array(outcome.key.name.utf8), outcome.key.body, outcome.at,
        outcome.version, outcome.failure?.json)
    }
    for change in batch.timers.latest(by: \.id) {
      guard let timer = change.timer else {
        append(.removedTimers, row, change.id)
        continue
      }
      append(.timers, row, timer.id, timer.due, timer.action, timer.period, timer.catchesUp)
    }
    for id in batch.settled { append(.settled, row, id) }
    for failure in batch.failures.latest(by: \.id) {
      append(
        .failures, row, failure.id, failure.at, failure.action, failure.principal, failure.context,
        failure.failure.json)
    }
    if !batch.failures.isEmpty { trimmed.append(row.key.reactor) }
    if version == 0 {
      change(row, .began(forkedFrom: nil), version: 0, at: batch.entries.first?.at ?? now)
    }
    if let last = batch.entries.last {
      change(row, .changed(from: version), version: last.version, at: last.at, by: last.by)
    }
  }

  private mutating func change(
    _ row: Row, _ kind: StoreChange.Kind, version: Int?, at time: Timestamp, by: String? = nil
  ) {
    guard hasFeed else { return }
    let stored = StoredChange(kind)
    append(
      .changes, row, stored.kind, version, stored.first, stored.origin, time,
      by.map { Array($0.utf8) })
  }

  private mutating func finish(previous: Int64, number: Int64) -> [Message] {
    let sealsWithFence = !hasOthers && fenced.count > 0
    func add(_ sql: SQL, _ rows: RowArrays, _ role: Role = .other) {
      guard rows.count > 0 else { return }
      var parameters = Parameters.of(writer)
      parameters.add(rows)
      messages.append(Message(sql: sql, parameters: parameters, role: role))
    }
    if sealsWithFence {
      var parameters = Parameters.of(writer)
      parameters.add(fenced)
      parameters.add(previous)
      parameters.add(number)
      messages.append(
        Message(sql: statements.sealedFence, parameters: parameters, role: .seal))
    } else {
      add(statements.fence, fenced)
    }
    for part: GroupStatements.Part in [
      .mutations, .globals, .accepted, .finished, .outcomes, .timers, .removedTimers, .settled,
      .failures,
    ] {
      add(statements[part], parts[part.rawValue])
    }
    if trimmed.count > 0 { addWithoutWriter(statements.trimFailures, trimmed) }
    for (sql, rows) in [(statements.create, creations), (statements.replaceEnded, replacements)]
    where rows.count > 0 {
      var parameters = Parameters.of(writer)
      parameters.add(rows)
      parameters.add(now)
      messages.append(Message(sql: sql, parameters: parameters))
    }
    if ends.count > 0 {
      var parameters = Parameters.of(writer)
      parameters.add(ends)
      parameters.add(now)
      messages.append(Message(sql: statements.end, parameters: parameters))
    }
    if snapshots.count > 0 { addWithoutWriter(statements.save, snapshots) }
    for parameters in shares {
      messages.append(
        Message(sql: statements.share, parameters: parameters, role: hasFeed ? .feed : .other))
    }
    if !sealsWithFence {
      // The columns of no rows have no types: a row that no write has stands for them.
      if sealed.count == 0 { sealed.append(ShardMap.common, "-", "-", Int64(0)) }
      var parameters = Parameters.of(writer)
      parameters.add(sealed)
      parameters.add(previous)
      parameters.add(number)
      messages.append(Message(sql: statements.seal, parameters: parameters, role: .seal))
    }
    add(statements[.changes], parts[GroupStatements.Part.changes.rawValue], .feed)
    return messages
  }

  private mutating func addWithoutWriter(_ sql: SQL, _ rows: RowArrays) {
    var parameters = Parameters()
    parameters.add(rows)
    messages.append(Message(sql: sql, parameters: parameters))
  }
}

/// The properties of a writer that its groups need.
struct WriterContext: Sendable {
  let map: ShardMap
  let statements: GroupStatements
  /// The name of the writer in the rows that it has written last.
  let writer: Int64
  let hasFeed: Bool
  let schemas: ReadableSchemas

  func shard(of write: PendingWrite) -> Int16 {
    let key = write.key
    return key.reactor.isEmpty ? ShardMap.common : map.shard(of: key)
  }
}

extension PendingWrite {
  /// The session of the write; without a reactor if there is none.
  var key: SessionKey {
    switch subject {
    case .session(let key), .snapshot(let key): key
    case .global(let name): SessionKey(reactor: "", id: name)
    case nil: SessionKey(reactor: "", id: "")
    }
  }
}

extension Array {
  /// The last element of each key, in order.
  fileprivate func latest<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    guard count > 1 else { return self }
    var places: [Key: Int] = [:]
    for (place, element) in enumerated() { places[key(element)] = place }
    return places.count == count ? self : places.values.sorted().map { self[$0] }
  }
}
