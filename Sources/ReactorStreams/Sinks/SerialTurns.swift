/// Handles the events of several streams one at a time, in the serial context in which the operator
/// was subscribed to, if that gathers them.
///
/// An event that is handled at once is not stored. One that has to wait is a closure, so the type of
/// the events is not part of this type, and unspecialized code needs no lookup of metadata.
final class SerialTurns: Sendable {
  private let queue = SerialQueue<@Sendable () -> Void>()
  private let context = CurrentSerialContext.gathering

  /// Handles an event if no other one is being handled, and then those that were enqueued meanwhile.
  ///
  /// - Returns: Whether it was handled. Otherwise the caller enqueues it.
  func handleIfFree(_ event: () -> Void) -> Bool {
    if let context, !context.isCurrent { return false }
    return queue.executeIfIdle(event) { $0() }
  }

  /// Handles an event after those that were enqueued before.
  func enqueue(_ event: @escaping @Sendable () -> Void) {
    if let context, !context.isCurrent {
      context.enqueue { self.queue.post(event) { $0() } }
    } else {
      queue.post(event) { $0() }
    }
  }
}
