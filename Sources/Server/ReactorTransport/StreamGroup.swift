internal import Synchronization

/// Streams that have new output at the same moment, woken together with one call.
///
/// For example, the 5,000 subscribers of a session are one group: publishing costs the writer one
/// wake per loop, regardless of the number of connections. Any thread may call any method.
package final class StreamGroup: Sendable {
  private let loops = Mutex<[any StreamWaking]>([])

  /// Creates a group without streams.
  package init() {}

  /// Wakes every loop with a stream of this group, which pulls its streams again.
  package func wake() {
    for loop in loops.withLock({ $0 }) { loop.wake(self) }
  }

  /// Closes the connections of all streams of this group, also those that wait for their clients.
  package func end() {
    for loop in loops.withLock({ $0 }) { loop.end(self) }
  }

  /// Registers a loop that has opened its first stream of this group.
  package func add(_ loop: any StreamWaking) {
    loops.withLock { $0.append(loop) }
  }

  /// Unregisters a loop that has closed its last stream of this group.
  package func remove(_ loop: any StreamWaking) {
    loops.withLock { loops in
      if let index = loops.firstIndex(where: { $0 === loop }) { loops.remove(at: index) }
    }
  }
}

/// A loop that serves the connections of streams.
package protocol StreamWaking: AnyObject, Sendable {
  /// Wakes every connection of the group on this loop, which pulls its stream again.
  ///
  /// Called on any thread, also from within `ByteStream.next()`; never blocks. Wakes that come
  /// before the connections have pulled are coalesced into one.
  func wake(_ group: StreamGroup)

  /// Closes every connection of the group on this loop; by default they are woken. Any thread; never blocks.
  func end(_ group: StreamGroup)
}

extension StreamWaking {
  package func end(_ group: StreamGroup) { wake(group) }
}
