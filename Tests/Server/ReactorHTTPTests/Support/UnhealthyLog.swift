import ReactorLog
import Synchronization

/// A log in memory that can report a failure of its writes, and counts the sessions that are opened.
final class UnhealthyLog: MutationLog {
  let isFailing = Atomic(false)
  private let base = MemoryLog()

  var failure: LogError? { isFailing.load(ordering: .relaxed) ? .full : nil }

  let sessionCount = Atomic(0)

  func session(_ key: SessionKey) -> any SessionLog {
    sessionCount.add(1, ordering: .relaxed)
    return base.session(key)
  }

  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    try await base.fork(source, at: cursor, to: target, epoch: epoch, parameters: parameters)
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try base.sessions(of: reactor, after: id, limit: limit)
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try base.unfinishedSessions(after: key, limit: limit)
  }

  func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try base.sharedValue(name)
  }

  func share(_ value: SharedValue, as name: String) async throws(LogError) {
    try await base.share(value, as: name)
  }
}
