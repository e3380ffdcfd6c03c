public import Synchronization

/// Handles items one at a time, in the order of their arrival, without a thread of its own.
///
/// A thread that posts to an idle queue handles its item immediately, and then the items that
/// arrived in the meantime. A thread that posts to a busy queue enqueues its item and continues; it
/// can be the handling thread itself. No lock is held while an item is handled, so queues that call
/// each other cannot deadlock.
@usableFromInline
package struct SerialQueue<Item: Sendable>: ~Copyable, Sendable {
  // The state is separate from the items and not generic: posting to an idle queue, the common
  // case, needs no metadata lookup in unspecialized code.
  @usableFromInline let turn = Mutex(SerialQueueTurn())
  @usableFromInline let owner = Atomic<UInt>(0)
  /// The waiting items.
  ///
  /// Accessed only while `turn` is locked. This is the last property, so that the offsets of the
  /// other properties do not depend on the type of the items.
  @usableFromInline let waiting = Mutex<[Item]>([])

  @inlinable
  package init() {}

  /// Whether the calling thread is handling an item of this queue.
  @inlinable
  package var isOwnedByCurrentThread: Bool {
    borrowing get { owner.load(ordering: .relaxed) == CurrentThread.id }
  }

  /// The number of items that wait behind the one that is being handled.
  package var waitingCount: Int {
    borrowing get { turn.withLock { $0.waitingCount } }
  }

  /// Handles an item, or enqueues it if another one is being handled.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - bound: The maximum number of waiting items. If it is reached, the item is rejected.
  ///   - handle: Handles an item. All callers must pass the same behavior, because the closure also
  ///     handles items of other callers.
  /// - Returns: Whether the item was accepted.
  @discardableResult
  @inlinable
  package borrowing func post(
    _ item: Item, bound: Int = .max, handle: (Item) -> Void
  ) -> Bool {
    let entry = turn.withLock { turn in
      let entry = turn.enter(bound: bound)
      if entry == .enqueue { enqueue(item) }
      return entry
    }
    guard entry == .handle else { return entry == .enqueue }
    owner.store(CurrentThread.id, ordering: .relaxed)
    handle(item)
    drain(handle)
    return true
  }

  /// Calls a closure in place of an item if the queue is idle, and then handles the items that
  /// arrived in the meantime.
  ///
  /// Unlike an item, the closure does not escape.
  ///
  /// - Parameters:
  ///   - body: The closure.
  ///   - handle: Handles an item; see ``post(_:bound:handle:)``.
  /// - Returns: Whether the closure was called.
  @inlinable
  package borrowing func executeIfIdle(_ body: () -> Void, handle: (Item) -> Void) -> Bool {
    guard turn.withLock({ $0.enter(bound: 0) }) == .handle else { return false }
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
        return turn.leaveIfEmpty()
      }
      if isDone { return }
      handleWaiting(handle)
    }
  }

  @inlinable
  @inline(never)
  borrowing func enqueue(_ item: Item) {
    waiting.withLock { $0.append(item) }
  }

  @inlinable
  @inline(never)
  borrowing func handleWaiting(_ handle: (Item) -> Void) {
    let items = turn.withLock { turn in
      turn.waitingCount = 0
      return waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
    }
    for item in items { handle(item) }
  }
}

/// Whether a serial queue is handling an item, and how many items wait.
@usableFromInline
struct SerialQueueTurn {
  @usableFromInline
  enum Entry { case handle, enqueue, reject }

  @usableFromInline var waitingCount = 0
  @usableFromInline var isRunning = false

  @inlinable
  init() {}

  /// Decides whether the caller handles its item, enqueues it, or rejects it.
  @inlinable
  mutating func enter(bound: Int) -> Entry {
    guard isRunning else {
      isRunning = true
      return .handle
    }
    guard waitingCount < bound else { return .reject }
    waitingCount += 1
    return .enqueue
  }

  /// Ends the turn if no item waits; returns whether the turn was ended.
  @inlinable
  mutating func leaveIfEmpty() -> Bool {
    guard waitingCount == 0 else { return false }
    isRunning = false
    return true
  }
}
