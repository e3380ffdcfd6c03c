internal import ReactorLog

/// Reads and writes the snapshots of a session.
struct SnapshotReader: Sendable {
  /// The maximum number of milestones that are read to find one of a schema.
  private static let searchBound = 64

  let reader: StreamReader
  let names: StoreNames
  let key: SessionKey

  private var stream: String { names.snapshots(names.snapshotNumber(of: key)) }
  private var milestoneStream: String { names.pages(names.snapshotNumber(of: key)) }

  typealias Positioned = (sequence: Int, record: SnapshotRecord)

  /// The latest snapshot of any history, with its sequence, or `nil` for none.
  func latest() async throws(LogError) -> Positioned? {
    guard let message = try await reader.last(names.snapshotSubject(of: key), in: stream),
      let record = SnapshotRecord(message.payload)
    else { return nil }
    return (message.sequence, record)
  }

  /// The latest snapshot of a history at or before a version, or `nil` for none.
  ///
  /// - Parameters:
  ///   - head: The end of the log, with a complete ``SessionHead/beginning``.
  ///   - version: The version.
  ///   - schema: The schema, or `nil` for any.
  /// - Returns: The snapshot.
  /// - Throws: If the streams cannot be read.
  func snapshot(
    of head: SessionHead, atOrBefore version: Int, schema: String?
  ) async throws(LogError) -> Snapshot? {
    let floor = head.beginning.floor
    guard version >= floor else { return nil }
    func fits(_ found: Int, _ name: String) -> Bool {
      (floor...version).contains(found) && name == schema ?? name
    }
    if let (_, record) = try await latest(), record.epoch == head.epoch {
      if fits(record.snapshot.version, record.snapshot.schema) { return record.snapshot }
      for earlier in record.chain.earlier where fits(earlier.version, earlier.schema) {
        if let found = try await self.record(at: earlier.sequence, in: stream, of: head.epoch) {
          return found.snapshot
        }
      }
      let found = try await milestone(record.chain.milestones, of: head.epoch, upTo: version) {
        fits($0.snapshot.version, $0.snapshot.schema)
      }
      if let found { return found.record.snapshot }
    }
    // The latest record can be that of a displaced writer, which does not name this milestone.
    guard floor > 0, let base = try await base(of: head), fits(base.version, base.schema) else {
      return nil
    }
    return base
  }

  /// The milestone that replaces the entries that retention has deleted.
  func base(of head: SessionHead) async throws(LogError) -> Snapshot? {
    try await record(at: head.beginning.snapshot, in: milestoneStream, of: head.epoch)?.snapshot
  }

  /// The latest milestone of a history that fits, or `nil` for none.
  func milestone(
    of epoch: String, upTo version: Int, where fits: (SnapshotRecord) -> Bool
  ) async throws(LogError) -> Positioned? {
    guard let (_, record) = try await latest(), record.epoch == epoch else { return nil }
    return try await milestone(record.chain.milestones, of: epoch, upTo: version, where: fits)
  }

  private func milestone(
    _ index: HistoryIndex, of epoch: String, upTo version: Int,
    where fits: (SnapshotRecord) -> Bool
  ) async throws(LogError) -> Positioned? {
    var nodes = index.nodes
    var count = 0
    while let node = nodes.popLast(), count < Self.searchBound {
      guard node.position.version <= version else { continue }
      count += 1
      let sequence = node.position.sequence
      // Milestones are deleted in ascending order: without the last record of a block, the others
      // are deleted.
      guard let record = try await record(at: sequence, in: milestoneStream, of: epoch) else {
        continue
      }
      if node.level == 0 {
        if record.snapshot.version <= version, fits(record) { return (sequence, record) }
      } else {
        nodes += record.chain.milestones.nodes(below: node.level)
        nodes.append(
          HistoryIndex.Node(
            level: 0,
            position: HistoryIndex.Position(
              version: record.snapshot.version, sequence: sequence)))
      }
    }
    return nil
  }

  private func record(
    at sequence: Int, in stream: String, of epoch: String
  ) async throws(LogError) -> SnapshotRecord? {
    guard sequence > 0, let message = try await reader.message(at: sequence, in: stream),
      let record = SnapshotRecord(message.payload), record.epoch == epoch
    else { return nil }
    return record
  }

  /// The snapshots of a history up to a version that a fork copies, in ascending order.
  func all(of epoch: String, upTo version: Int) async throws(LogError) -> [Snapshot] {
    guard let (_, latest) = try await latest(), latest.epoch == epoch else { return [] }
    var snapshots = [latest.snapshot]
    for earlier in latest.chain.earlier {
      guard let found = try await record(at: earlier.sequence, in: stream, of: epoch) else { break }
      snapshots.append(found.snapshot)
    }
    return snapshots.filter { $0.version <= version }.reversed()
  }

  /// The milestones, the latest first; also those that no record names.
  func allMilestones() async throws(LogError) -> [Positioned] {
    var found: [Positioned] = []
    var message = try await reader.last(names.milestoneSubject(of: key), in: milestoneStream)
    while let current = message {
      guard let record = SnapshotRecord(current.payload) else { break }
      found.append((current.sequence, record))
      guard record.previous > 0 else { break }
      message = try await reader.message(at: record.previous, in: milestoneStream)
    }
    return found
  }

  // MARK: Writing

  /// Stores a snapshot after earlier ones.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - epoch: The name of the history.
  ///   - chain: The earlier snapshots.
  /// - Returns: The earlier snapshots for the next one.
  /// - Throws: If it was not stored.
  func save(
    _ snapshot: Snapshot, of epoch: String, after chain: SnapshotRecord.Chain
  ) async throws(LogError) -> SnapshotRecord.Chain {
    var chain = chain
    if snapshot.version >= chain.lastMilestone + SnapshotRecord.milestoneInterval {
      let sequence = try await keep(snapshot, of: epoch, after: chain)
      chain.milestones.append(
        HistoryIndex.Position(version: snapshot.version, sequence: sequence))
      chain.lastMilestone = snapshot.version
    }
    let record = SnapshotRecord(
      epoch: epoch, snapshot: snapshot, chain: chain, at: Timestamp.now.milliseconds)
    let sequence = try await publish(record, to: names.snapshotSubject(of: key))
    let saved = SnapshotRecord.Earlier(
      version: snapshot.version, sequence: sequence, schema: snapshot.schema)
    chain.earlier = Array(([saved] + chain.earlier).prefix(SnapshotRecord.retained - 1))
    return chain
  }

  /// Stores a snapshot in the HIST stream.
  ///
  /// - Returns: Its sequence.
  func keep(
    _ snapshot: Snapshot, of epoch: String, after chain: SnapshotRecord.Chain
  ) async throws(LogError) -> Int {
    var record = SnapshotRecord(
      epoch: epoch, snapshot: snapshot,
      chain: SnapshotRecord.Chain(milestones: chain.milestones, lastMilestone: chain.lastMilestone),
      at: Timestamp.now.milliseconds)
    let subject = names.milestoneSubject(of: key)
    record.previous = try await reader.last(subject, in: milestoneStream)?.sequence ?? 0
    return try await publish(record, to: subject)
  }

  private func publish(
    _ record: SnapshotRecord, to subject: String
  ) async throws(LogError) -> Int {
    let reply = AppendReply(
      try await reader.engine.request(
        record.payload, to: subject,
        headers: [("Nats-Msg-Id", "snapshot/\(reader.engine.nextMark())")]))
    switch reply {
    case .stored(let sequence, _): return sequence
    case .full: throw .full
    default: throw .unavailable("The snapshot was not stored: \(reply)")
    }
  }

  /// Deletes the latest snapshots of the session.
  ///
  /// The milestones are deleted when the log is cleaned.
  func deleteLatest() async throws(LogError) {
    guard let (sequence, record) = try await latest() else { return }
    for sequence in record.chain.earlier.map(\.sequence) + [sequence] {
      try await reader.delete(sequence, in: stream)
    }
  }

  /// Deletes milestones, in ascending order, so that an interruption leaves the later ones.
  func deleteMilestones(_ sequences: [Int]) async throws(LogError) {
    for sequence in sequences.sorted() { try await reader.delete(sequence, in: milestoneStream) }
  }
}
