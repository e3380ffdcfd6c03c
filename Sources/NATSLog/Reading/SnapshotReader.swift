internal import ReactorLog

/// Reads and writes the snapshots of a session.
struct SnapshotReader: Sendable {
  let reader: StreamReader
  let names: StoreNames
  let key: SessionKey

  private var stream: String { names.snapshots(names.snapshotNumber(of: key)) }

  /// The latest snapshot of any history, with its sequence; `nil` for none.
  func latest() async throws(LogError) -> (sequence: Int, record: SnapshotRecord)? {
    guard let message = try await reader.last(names.snapshotSubject(of: key), in: stream),
      let record = SnapshotRecord(message.payload)
    else { return nil }
    return (message.sequence, record)
  }

  /// The latest snapshot of a history at or before a version; `nil` for none.
  func snapshot(
    of epoch: String, atOrBefore version: Int, schema: String?
  ) async throws(LogError) -> Snapshot? {
    guard let (_, record) = try await latest(), record.epoch == epoch else { return nil }
    func fits(_ other: Int, _ name: String) -> Bool {
      other <= version && name == schema ?? name
    }
    if fits(record.snapshot.version, record.snapshot.schema) { return record.snapshot }
    for earlier in record.earlier where fits(earlier.version, earlier.schema) {
      if let message = try await reader.message(at: earlier.sequence, in: stream),
        let found = SnapshotRecord(message.payload), found.epoch == epoch
      {
        return found.snapshot
      }
    }
    return nil
  }

  /// The snapshots of a history up to a version, in ascending order.
  func all(of epoch: String, upTo version: Int) async throws(LogError) -> [Snapshot] {
    guard let (_, record) = try await latest(), record.epoch == epoch else { return [] }
    var snapshots = [record.snapshot]
    for earlier in record.earlier {
      guard let message = try await reader.message(at: earlier.sequence, in: stream),
        let found = SnapshotRecord(message.payload), found.epoch == epoch
      else { break }
      snapshots.append(found.snapshot)
    }
    return snapshots.filter { $0.version <= version }.reversed()
  }

  /// Stores a snapshot after earlier ones, the latest of which is first.
  ///
  /// - Returns: The earlier ones of the next snapshot.
  func save(
    _ snapshot: Snapshot, of epoch: String, after earlier: [SnapshotRecord.Earlier]
  ) async throws(LogError) -> [SnapshotRecord.Earlier] {
    let record = SnapshotRecord(epoch: epoch, snapshot: snapshot, earlier: earlier)
    let reply = AppendReply(
      try await reader.engine.request(record.payload, to: names.snapshotSubject(of: key)))
    guard case .stored(let sequence, _) = reply else {
      throw .unavailable("The snapshot was not stored: \(reply)")
    }
    let saved = SnapshotRecord.Earlier(
      version: snapshot.version, sequence: sequence, schema: snapshot.schema)
    return Array(([saved] + earlier).prefix(SnapshotRecord.retained - 1))
  }

  /// Deletes all snapshots of the session.
  func deleteAll() async throws(LogError) {
    guard let (sequence, record) = try await latest() else { return }
    for sequence in record.earlier.map(\.sequence) + [sequence] {
      try await reader.delete(sequence, in: stream)
    }
  }
}

extension StreamReader {
  /// Deletes a message, if it exists.
  func delete(_ sequence: Int, in stream: String) async throws(LogError) {
    do throws(APIFailure) {
      _ = try await call(
        "STREAM.MSG.DELETE.\(stream)", Array("{\"seq\":\(sequence),\"no_erase\":true}".utf8))
    } catch {
      // 10057 and 10043: the message does not exist.
      if case .log(let error) = error { throw error }
    }
  }
}
