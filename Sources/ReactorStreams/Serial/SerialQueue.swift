internal import Synchronization

/// Runs items one at a time, in the order they arrived, without a thread of its own.
///
/// Whoever brings an item while nothing runs handles it, on its own thread and at once, and then
/// whatever others brought in the meantime. Whoever brings one while something runs leaves it and
/// goes on, whether that is another thread or the handler itself. No lock is held while an item is
/// handled, so two queues that call into each other cannot deadlock.
package struct SerialQueue<Item: Sendable>: ~Copyable, Sendable {
  private enum Entry { case run, left, refused }

  // Not private: the compiler (6.3.1) emits an invalid module for other files then.
  struct State {
    var isRunning = false
    var waiting: [Item] = []
  }

  private let state = Mutex(State())
  private let owner = Atomic<UInt>(0)

  package init() {}

  /// Whether the calling thread is handling an item of this queue right now.
  package var isOwnedByCurrentThread: Bool {
    borrowing get { owner.load(ordering: .relaxed) == CurrentThread.id }
  }

  /// Whether nothing runs and nothing waits.
  package var isIdle: Bool {
    borrowing get { state.withLock { !$0.isRunning } }
  }

  /// How many items wait behind the one that runs.
  package var waitingCount: Int {
    borrowing get { state.withLock { $0.waiting.count } }
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
  package borrowing func post(
    _ item: Item, bound: Int = .max, handle: (Item) -> Void
  ) -> Bool {
    let entry: Entry = state.withLock { state in
      guard state.isRunning else {
        state.isRunning = true
        return .run
      }
      guard state.waiting.count < bound else { return .refused }
      state.waiting.append(item)
      return .left
    }
    guard entry == .run else { return entry == .left }
    owner.store(CurrentThread.id, ordering: .relaxed)
    handle(item)
    drain(handle)
    return true
  }

  private borrowing func drain(_ handle: (Item) -> Void) {
    while true {
      let batch = state.withLock { state -> [Item] in
        guard !state.waiting.isEmpty else {
          owner.store(0, ordering: .relaxed)
          state.isRunning = false
          return []
        }
        defer { state.waiting = [] }
        return state.waiting
      }
      guard !batch.isEmpty else { return }
      for item in batch { handle(item) }
    }
  }
}
