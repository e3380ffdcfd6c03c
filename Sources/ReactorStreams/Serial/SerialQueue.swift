public import Synchronization

/// Runs items one at a time, in the order they arrived, without a thread of its own.
///
/// Whoever brings an item while nothing runs handles it, on its own thread and at once, and then
/// whatever others brought in the meantime. Whoever brings one while something runs leaves it and
/// goes on, whether that is another thread or the handler itself. No lock is held while an item is
/// handled, so two queues that call into each other cannot deadlock.
@usableFromInline
package struct SerialQueue<Item: Sendable>: ~Copyable, Sendable {
  // Apart from the items, and not generic: who finds the queue free, which is nearly always, touches
  // nothing whose type must be looked up where the code is not specialized.
  @usableFromInline let turn = Mutex(SerialQueueTurn())
  /// Changes only while `turn` is locked.
  @usableFromInline let waiting = Mutex<[Item]>([])
  @usableFromInline let owner = Atomic<UInt>(0)

  @inlinable
  package init() {}

  /// Whether the calling thread is handling an item of this queue right now.
  @inlinable
  package var isOwnedByCurrentThread: Bool {
    borrowing get { owner.load(ordering: .relaxed) == CurrentThread.id }
  }

  /// How many items wait behind the one that runs.
  package var waitingCount: Int {
    borrowing get { turn.withLock { $0.waitingCount } }
  }

  /// Handles an item now, or leaves it to whoever runs.
  ///
  /// - Parameters:
  ///   - item: What to handle.
  ///   - bound: The item is refused when so many wait already.
  ///   - handle: Handles an item. Every caller must pass the same behaviour, since it may be given
  ///     items that others brought.
  /// - Returns: Whether the item was taken.
  @discardableResult
  @inlinable
  package borrowing func post(
    _ item: Item, bound: Int = .max, handle: (Item) -> Void
  ) -> Bool {
    let entry = turn.withLock { turn in
      let entry = turn.enter(bound: bound)
      if entry == .left { waiting.withLock { $0.append(item) } }
      return entry
    }
    guard entry == .run else { return entry == .left }
    owner.store(CurrentThread.id, ordering: .relaxed)
    handle(item)
    drain(handle)
    return true
  }

  /// Runs a body in the queue's turn if nothing runs, and then what others brought in the meantime.
  ///
  /// The body need not outlive the call, as an item does that somebody may leave.
  ///
  /// - Parameters:
  ///   - body: What to run.
  ///   - handle: Handles an item, as every caller of ``post(_:bound:handle:)`` does.
  /// - Returns: Whether it was run.
  @inlinable
  package borrowing func runIfFree(_ body: () -> Void, handle: (Item) -> Void) -> Bool {
    guard turn.withLock({ $0.enter(bound: 0) }) == .run else { return false }
    owner.store(CurrentThread.id, ordering: .relaxed)
    body()
    drain(handle)
    return true
  }

  @inlinable
  borrowing func drain(_ handle: (Item) -> Void) {
    while true {
      let isDone = turn.withLock { turn in
        if turn.waitingCount == 0 { owner.store(0, ordering: .relaxed) }
        return turn.leaveIfNobodyWaits()
      }
      if isDone { return }
      for item in takeWaiting() { handle(item) }
    }
  }

  @inlinable
  borrowing func takeWaiting() -> [Item] {
    turn.withLock { turn in
      turn.waitingCount = 0
      return waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
    }
  }
}

/// Who handles the items of a serial queue.
@usableFromInline
struct SerialQueueTurn {
  @usableFromInline
  enum Entry { case run, left, refused }

  @usableFromInline var waitingCount = 0
  @usableFromInline var isRunning = false

  @inlinable
  init() {}

  /// Lets one in who brings an item: to run, or to leave it.
  @inlinable
  mutating func enter(bound: Int) -> Entry {
    guard isRunning else {
      isRunning = true
      return .run
    }
    guard waitingCount < bound else { return .refused }
    waitingCount += 1
    return .left
  }

  /// Ends the turn of who runs.
  @inlinable
  mutating func leaveIfNobodyWaits() -> Bool {
    guard waitingCount == 0 else { return false }
    isRunning = false
    return true
  }
}
