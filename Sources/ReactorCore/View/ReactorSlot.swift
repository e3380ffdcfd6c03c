internal import Synchronization

/// Where a ``View`` keeps its reactor.
///
/// There is no table of all views: the slot belongs to one instance and goes with it.
public final class ReactorSlot: Sendable {
  private struct Contents: Sendable {
    // Proof: the mutex guards the reference. What it refers to is used by the view alone, which is
    // used by one thread at a time; nothing else reads the slot.
    nonisolated(unsafe) var reactor: AnyObject?
    var isBound = false
  }

  private let contents = Mutex(Contents())

  /// Makes an empty slot.
  public init() {}

  /// The reactor, without its type.
  var reactor: AnyObject? {
    contents.withLock { $0 }.reactor
  }

  /// Puts a reactor in, which is not bound yet.
  func replaceReactor(by reactor: AnyObject?) {
    // Proof: as above.
    nonisolated(unsafe) let reactor = reactor
    let replaced = contents.withLock { contents in
      defer { contents = Contents(reactor: reactor) }
      return contents
    }
    // Ends here, outside of the lock, where nobody else keeps it.
    _ = consume replaced
  }

  /// Takes note that the reactor is bound.
  ///
  /// - Returns: Whether it was not before.
  func beginBinding() -> Bool {
    contents.withLock { contents in
      defer { contents.isBound = true }
      return !contents.isBound
    }
  }
}
