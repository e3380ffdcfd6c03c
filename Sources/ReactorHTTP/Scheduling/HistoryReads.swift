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

  private let jobs = Mutex(FairJobs<WorkerPool.Owner, Read>())

  /// Begins a read, now or after others.
  func enqueue(for owner: WorkerPool.Owner, _ read: @escaping Read) {
    if jobs.withLock({ $0.append(read, of: owner, width: Self.width) }) { execute() }
  }

  /// Begins a read unless its owner, or all of them, have too many that wait; returns whether it was enqueued.
  func enqueueIfRoom(for owner: WorkerPool.Owner, _ read: @escaping Read) -> Bool {
    let needsExecutor = jobs.withLock { jobs -> Bool? in
      guard jobs.pending < Limits.backgroundJobs,
        jobs.count(of: owner) < Limits.backgroundJobsPerClient
      else { return nil }
      return jobs.append(read, of: owner, width: Self.width)
    }
    if needsExecutor == true { execute() }
    return needsExecutor != nil
  }

  /// Executes reads one after the other; those that end at once do not nest.
  private func execute() {
    while let read = jobs.withLock({ $0.next() }) {
      let hasEnded = EndFlag()
      read { if hasEnded.set() { self.execute() } }
      // A read that is still under way continues with the next one when it ends.
      guard hasEnded.set() else { return }
    }
  }

  /// Set by the end of a read, and by the thread that has begun it.
  private final class EndFlag: Sendable {
    private let isSet = Atomic(false)

    /// Sets the flag; returns whether it was set before.
    func set() -> Bool { isSet.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
