import LogTestSupport
@testable import PostgresLog
import PostgresServers
import ReactorLog
import Testing

/// A log over several databases, each with the sessions of the shards that `ShardMap` assigns to it.
///
/// Lists are merged, and globals are in the first database. A fork into another database copies a complete
/// history through this process. The changes have no common order, so that the log has no feed.
final class SpreadLog: MutationLog {
  private let map: ShardMap
  private let logs: [PostgresLog]

  /// Creates the log of each database, with histories of other numbers than those of the others.
  init(_ databases: [String], of server: PostgresServer, _ settings: PostgresLog.Settings) throws {
    map = ShardMap(databases: databases.count)
    logs = try databases.enumerated().map { index, name in
      var settings = settings
      settings.address = try #require(PostgresAddress(server.url(name)))
      let log = try PostgresLog(settings)
      try server.query(
        """
        alter sequence "\(settings.schema)".histories
          increment by \(databases.count) restart with \(index + 1)
        """, at: name)
      return log
    }
  }

  func close() {
    for log in logs { log.close() }
  }

  private func index(of key: SessionKey) -> Int { map.database(of: map.shard(of: key)) }

  func session(_ key: SessionKey) -> any SessionLog { logs[index(of: key)].session(key) }

  var readsFromDisk: Bool { true }

  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    guard index(of: source) != index(of: target) else {
      return try await logs[index(of: source)].fork(
        source, at: cursor, to: target, epoch: epoch, parameters: parameters)
    }
    let (from, log) = (session(source), session(target))
    var batch = LogBatch([])
    var inherited: [UInt8]?
    switch try from.record() {
    case .none: guard cursor.version == 0 else { throw .lost(to: nil) }
    case .stored(let stored)
    where stored.epoch == cursor.epoch && cursor.version <= stored.version:
      inherited = stored.parameters
      let entries = try from.entries(after: 0, limit: cursor.version)
      guard entries.count == cursor.version else { throw .lost(to: nil) }
      batch = LogBatch(entries)
    case .stored, .ended: throw .lost(to: nil)
    }
    if case .stored = try log.record() { throw .lost(to: nil) }
    try await log.create(epoch: epoch, parameters: parameters ?? inherited)
    guard !batch.entries.isEmpty else { return }
    try await withCheckedContinuation { continuation in
      log.append(batch, to: epoch, expecting: 0) { continuation.resume(returning: $0) }
    }.get()
    // Snapshots depend on the parameters.
    var snapshots: [Snapshot] = []
    var last = parameters == nil ? cursor.version : 0
    while let snapshot = (try? from.snapshot(atOrBefore: last, of: nil)) ?? nil {
      snapshots.append(snapshot)
      last = snapshot.version - 1
    }
    for snapshot in snapshots.reversed() { log.save(snapshot, of: epoch) }
    // A fork has its snapshots when the function returns.
    while let latest = snapshots.first,
      try log.snapshot(atOrBefore: latest.version, of: nil) == nil
    { await Task.yield() }
  }

  /// Returns the first elements of the lists of all databases, in order.
  private func merge<Element>(
    limit: Int, by areInOrder: (Element, Element) -> Bool,
    _ read: (PostgresLog) throws(LogError) -> [Element]
  ) throws(LogError) -> [Element] {
    var all: [Element] = []
    for log in logs { all += try read(log) }
    return Array(all.sorted(by: areInOrder).prefix(limit))
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try merge(limit: limit, by: { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }) {
      (log) throws(LogError) in try log.sessions(of: reactor, after: id, limit: limit)
    }
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try merge(limit: limit, by: { ($0.reactor, $0.id) < ($1.reactor, $1.id) }) {
      (log) throws(LogError) in try log.unfinishedSessions(after: key, limit: limit)
    }
  }

  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    var pages: [DueTimers] = []
    for log in logs {
      pages.append(try log.dueTimers(after: position, until: time, limit: limit))
    }
    let timers = pages.flatMap(\.timers).sorted { $0.position < $1.position }
    let isFull = timers.count >= limit
    return DueTimers(
      Array(timers.prefix(limit)),
      next: isFull ? nil : pages.compactMap(\.next).min { $0.milliseconds < $1.milliseconds })
  }

  func timerCount() throws(LogError) -> Int {
    var count = 0
    for log in logs { count += try log.timerCount() }
    return count
  }

  func failures(
    of reactor: String
  ) throws(LogError) -> [StoredFailure] {
    try merge(limit: StoredFailure.limit, by: { $0.at.milliseconds > $1.at.milliseconds }) {
      (log) throws(LogError) in try log.failures(of: reactor)
    }
  }

  func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try logs[0].sharedValue(name)
  }

  func share(_ value: SharedValue, as name: String) async throws(LogError) {
    try await logs[0].share(value, as: name)
  }
}
