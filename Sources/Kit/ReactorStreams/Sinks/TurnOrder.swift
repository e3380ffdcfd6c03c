internal import Synchronization

/// Decides for the events of one source whether they are handled immediately or in turns of their
/// own in a serial context, so that they keep their order.
///
/// An event that another thread emits is enqueued in the context. Until its turn, a later event of
/// the source is enqueued as well, even if the current turn emits it.
package struct TurnOrder: ~Copyable, Sendable {
  package let context: (any SerialContext)?
  private let waiting = Atomic<Int>(0)

  /// Creates the order of a source.
  ///
  /// - Parameter context: The context; without one, each event is handled immediately.
  package init(in context: (any SerialContext)?) {
    self.context = context
  }

  /// Whether the calling thread can handle an event of the source immediately.
  package var isFree: Bool {
    borrowing get {
      guard let context else { return true }
      return context.isCurrent && waiting.load(ordering: .acquiring) == 0
    }
  }

  /// Counts an event that is about to be enqueued in the context.
  ///
  /// - Returns: The number of events that wait, including this one.
  @discardableResult
  package borrowing func willEnqueue() -> Int {
    waiting.add(1, ordering: .acquiringAndReleasing).newValue
  }

  /// The turn of an enqueued event has begun.
  package borrowing func didDequeue() {
    waiting.subtract(1, ordering: .acquiringAndReleasing)
  }
}
