internal import ReactorHost
internal import Shares
internal import Synchronization

/// Bounds the number of concurrent long reads; clients take turns.
///
/// Used for the histories of streams. A read costs the store a query, and the owner of the session a fold.
/// Without a bound, a client that opens many streams with `replay=all` would delay every other request to the
/// store by all of its reads; with the bound, the client delays itself only.
final class HistoryReads: Sendable {
  /// A read, which calls `end` once when it has ended, on any thread, possibly before it returns.
  typealias Read = @Sendable (_ end: @escaping @Sendable () -> Void) -> Void

  /// The maximum number of concurrent reads.
  static let width = 8

  /// The maximum number of concurrent reads of one client.
  static let share = 2

  private let turns = Mutex(
    FairQueue<WorkOwner, Read>(width: HistoryReads.width, share: HistoryReads.share))

  /// Begins a read, immediately or after others.
  func enqueue(for owner: WorkOwner, _ read: @escaping Read) {
    turns.withLock { $0.append(read, of: owner) }
    beginReads()
  }

  /// Begins a read unless its owner has its share of the waiting jobs; returns whether it was enqueued.
  func enqueueIfRoom(for owner: WorkOwner, _ read: @escaping Read) -> Bool {
    guard let begin = owner.counted({}) else { return false }
    enqueue(for: owner) { end in
      begin()
      read(end)
    }
    return true
  }

  /// Begins the reads whose turn it is; a read that ends before it returns causes no recursion.
  private func beginReads() {
    while let (owner, read) = turns.withLock({ $0.begin() }) {
      let hasReturned = EndFlag()
      read {
        self.turns.withLock { $0.end(owner) }
        // If the read has not returned yet, the loop begins the next one.
        if hasReturned.set() { self.beginReads() }
      }
      _ = hasReturned.set()
    }
  }

  /// A flag that the end of a read sets, and the loop that began the read when the read has
  /// returned.
  private final class EndFlag: Sendable {
    private let isSet = Atomic(false)

    /// Sets the flag; returns whether it was set before.
    func set() -> Bool { isSet.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
