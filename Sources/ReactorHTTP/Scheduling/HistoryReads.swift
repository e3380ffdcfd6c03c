internal import Synchronization

/// Bounds the reads of histories for streams that are under way, in turn by client.
///
/// One read costs the store up to a hundred messages, and the owner of a session at another node a fold. A
/// client that opens many streams with `replay=all` would delay every other request to the store by all of
/// its reads; with this bound it is delayed itself.
final class HistoryReads: Sendable {
  /// A read, which calls the function once when it has ended, on any thread, also before it returns.
  typealias Read = @Sendable (_ end: @escaping @Sendable () -> Void) -> Void

  /// The number of reads that are under way at the same time.
  static let width = 8

  /// How many of them one client has at most.
  static let share = 2

  private let turns = Mutex(
    SharedTurns<WorkerPool.Owner, Read>(width: width, share: share))

  /// Begins a read, now or after others.
  func enqueue(for owner: WorkerPool.Owner, _ read: @escaping Read) {
    turns.withLock { $0.append(read, of: owner) }
    beginReads()
  }

  /// Begins a read unless its owner, or all of them, have too many that wait; returns whether it was enqueued.
  func enqueueIfRoom(for owner: WorkerPool.Owner, _ read: @escaping Read) -> Bool {
    let hasRoom = turns.withLock { turns in
      guard turns.pending < Limits.backgroundJobs,
        turns.count(of: owner) < Limits.backgroundJobsPerClient
      else { return false }
      turns.append(read, of: owner)
      return true
    }
    if hasRoom { beginReads() }
    return hasRoom
  }

  /// Begins the reads whose turn it is; those that end at once do not nest.
  private func beginReads() {
    while let (owner, read) = turns.withLock({ $0.begin() }) {
      let hasReturned = EndFlag()
      read {
        self.turns.withLock { $0.end(owner) }
        // Before the read returns, the loop begins the next one.
        if hasReturned.set() { self.beginReads() }
      }
      _ = hasReturned.set()
    }
  }

  /// Set by the end of a read, and by the thread that has begun it, whichever comes first.
  private final class EndFlag: Sendable {
    private let isSet = Atomic(false)

    /// Sets the flag; returns whether it was set before.
    func set() -> Bool { isSet.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
