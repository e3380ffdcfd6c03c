internal import Dispatch
public import ReactorLog
internal import Synchronization

/// The changes of a host from a position on, without end; see ``Host/changes(after:)``.
///
/// Each iterator reads pages from the store; nothing is buffered for a slow iterator. An iterator
/// ends when its task is cancelled.
public struct ChangeSequence: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = StoreChange

  /// The error of an iterator.
  public typealias Failure = ChangeFeedError

  /// The maximum number of changes per page.
  fileprivate static let pageLength = 256

  /// The name of the feed, for the ids of its changes.
  public var store: String { feed.store }

  private let feed: any ChangeFeed
  private let position: Int

  init(_ feed: any ChangeFeed, after position: Int) {
    self.feed = feed
    self.position = position
  }

  /// Reads the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let feed: any ChangeFeed
    fileprivate var position: Int
    private var page: ArraySlice<StoreChange> = []
    private let signal: ChangeSignal

    fileprivate init(_ feed: any ChangeFeed, after position: Int) {
      self.feed = feed
      self.position = position
      signal = ChangeSignal(feed)
    }

    /// Waits until the next change is committed and returns it, or returns `nil` if the task is cancelled.
    public mutating func next() async throws(ChangeFeedError) -> StoreChange? {
      while page.isEmpty {
        if Task.isCancelled { return nil }
        guard position < feed.latest else {
          await signal.wait()
          continue
        }
        page = try await read(after: position)[...]
        guard let first = page.first else { continue }
        guard first.number == position + 1 else {
          throw .expired(oldest: ChangeID(store: feed.store, number: first.number - 1))
        }
      }
      let change = page.removeFirst()
      position = change.number
      return change
    }

    /// Reads a page on a thread that may block.
    private func read(after position: Int) async throws(ChangeFeedError) -> [StoreChange] {
      let feed = feed
      let result: Result<[StoreChange], LogError> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          do throws(LogError) {
            let page = try feed.changes(after: position, limit: ChangeSequence.pageLength)
            continuation.resume(returning: .success(page))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
      switch result {
      case .success(let page): return page
      case .failure(let error): throw .log(error)
      }
    }
  }

  /// Creates an iterator that begins after the position.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(feed, after: position)
  }
}

/// Suspends a reader until changes are committed.
private final class ChangeSignal: Sendable {
  /// The observer that the feed retains, while it does not retain the signal.
  private final class Relay: ChangeObserver {
    private let state = Mutex<(isRaised: Bool, waiter: CheckedContinuation<Void, Never>?)>(
      (false, nil))

    func changesDidCommit() {
      state.withLock { state in
        state.isRaised = state.waiter == nil
        return state.waiter.take()
      }?.resume()
    }

    func wait() async {
      await withCheckedContinuation { continuation in
        let isRaised = state.withLock { state in
          guard !state.isRaised else {
            state.isRaised = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isRaised { continuation.resume() }
      }
    }
  }

  private let feed: any ChangeFeed
  private let relay = Relay()

  init(_ feed: any ChangeFeed) {
    self.feed = feed
    feed.observe(relay)
  }

  deinit { feed.stopObserving(relay) }

  /// Waits for a notification of the feed, or for the cancellation of the task.
  ///
  /// Returns immediately if the feed has sent a notification since the last call.
  func wait() async {
    await withTaskCancellationHandler {
      await relay.wait()
    } onCancel: {
      relay.changesDidCommit()
    }
  }
}
