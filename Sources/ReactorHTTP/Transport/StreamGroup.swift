internal import Synchronization

/// Streams that have news at the same moment, woken together with one call.
///
/// One session with 5,000 subscribers is one group: publishing costs its writer one wake, whatever
/// the number of connections. Any thread may call any method.
public final class StreamGroup: Sendable {
  private let loops = Mutex<[any StreamWaking]>([])

  /// Makes a group without streams.
  public init() {}

  /// Tells every loop that has a stream of this group to ask its streams again.
  public func wake() {
    for loop in loops.withLock({ $0 }) { loop.wake(self) }
  }

  /// A loop calls this when it opens its first stream of this group.
  public func add(_ loop: any StreamWaking) {
    loops.withLock { $0.append(loop) }
  }

  /// A loop calls this when its last stream of this group has closed.
  public func remove(_ loop: any StreamWaking) {
    loops.withLock { loops in
      if let index = loops.firstIndex(where: { $0 === loop }) { loops.remove(at: index) }
    }
  }
}

/// A loop that serves the connections of streams.
public protocol StreamWaking: AnyObject, Sendable {
  /// Makes every connection of the group on this loop ask its stream again. Called on any thread,
  /// never blocks, and may be called from within `ByteStream.next()`. Waking a group twice before
  /// its connections have asked is one wake.
  func wake(_ group: StreamGroup)
}
