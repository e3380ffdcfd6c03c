internal import Synchronization

/// The storage of a ``View``'s reactor.
public final class ReactorSlot: Sendable {
  private struct Contents: Sendable {
    // Proof: the mutex guards the reference. The reactor is used by the view alone, which is used by
    // one thread at a time; nothing else reads the slot.
    nonisolated(unsafe) var reactor: AnyObject?
    var isBound = false
  }

  private let contents = Mutex(Contents())

  /// Creates an empty slot.
  public init() {}

  /// The reactor, with its type erased.
  var reactor: AnyObject? {
    unsafe contents.withLock { $0 }.reactor
  }

  /// Replaces the reactor; the new one is not bound yet.
  func replaceReactor(by reactor: AnyObject?) {
    // Proof: as above.
    nonisolated(unsafe) let reactor = reactor
    let replaced = contents.withLock { contents in
      defer { unsafe contents = Contents(reactor: reactor) }
      return contents
    }
    // The previous reactor is released outside of the lock.
    _ = consume replaced
  }

  /// Marks the reactor as bound.
  ///
  /// - Returns: Whether it was not bound before.
  func beginBinding() -> Bool {
    contents.withLock { contents in
      defer { contents.isBound = true }
      return !contents.isBound
    }
  }
}
