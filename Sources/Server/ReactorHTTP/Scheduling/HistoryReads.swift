internal import ReactorHost
internal import Shares
internal import Synchronization

/// Bounds the number of concurrent long reads; clients take turns.
///
/// Used for the histories of streams. A read costs the store a query, and the owner of the session a fold.
/// Without a bound, a client that opens many streams with `replay=all` would delay every other request to the
/// store by all of its reads; with the bound, the client delays itself only.
final class HistoryReads: Sendable {
  /// The maximum number of concurrent reads.
  static let width = 8

  /// The maximum number of concurrent reads of one client.
  static let share = 2

  private let turns = Mutex(
    FairQueue<WorkOwner, CheckedContinuation<Void, Never>>(
      width: HistoryReads.width, share: HistoryReads.share))

  /// Executes a read when it is the client's turn.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - read: The read.
  /// - Returns: The value that the read returns.
  /// - Throws: The error that the read throws.
  func execute<Value, Failure>(
    for owner: WorkOwner, _ read: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    await withCheckedContinuation { turn in
      turns.withLock { $0.append(turn, of: owner) }
      beginReads()
    }
    defer {
      turns.withLock { $0.end(owner) }
      beginReads()
    }
    return try await read()
  }

  private func beginReads() {
    while let (_, turn) = turns.withLock({ $0.begin() }) { turn.resume() }
  }
}
