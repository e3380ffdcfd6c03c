internal import Synchronization

/// Brings items from many threads to one that waits for them, in order.
final class WorkQueue<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var isAwaited = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let bell = Semaphore()

  /// Adds an item.
  ///
  /// - Returns: Whether it was taken: a closed queue takes nothing.
  func put(_ item: Item) -> Bool {
    let (isTaken, isAwaited) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed else { return (false, false) }
      state.items.append(item)
      defer { state.isAwaited = false }
      return (true, state.isAwaited)
    }
    if isAwaited { bell.signal() }
    return isTaken
  }

  /// Takes nothing more.
  func close() {
    let isAwaited = state.withLock { state in
      state.isClosed = true
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if isAwaited { bell.signal() }
  }

  /// Takes all items that are there.
  ///
  /// One thread may call this.
  ///
  /// - Parameter seconds: How long to wait for one.
  /// - Returns: Nothing where none came in time; `nil` where none ever will.
  func takeAll(waiting seconds: Int) -> [Item]? {
    if let items = takeWhatIsThere(orAwait: seconds > 0) { return items }
    if isFinished { return nil }
    guard seconds > 0 else { return [] }
    bell.wait(seconds: seconds)
    if let items = takeWhatIsThere(orAwait: false) { return items }
    return isFinished ? nil : []
  }

  private func takeWhatIsThere(orAwait isAwaiting: Bool) -> [Item]? {
    state.withLock { state in
      state.isAwaited = state.items.isEmpty && !state.isClosed && isAwaiting
      guard !state.items.isEmpty else { return nil }
      defer { state.items = [] }
      return state.items
    }
  }

  private var isFinished: Bool {
    state.withLock { $0.isClosed && $0.items.isEmpty }
  }
}
