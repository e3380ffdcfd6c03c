/// Handles the events of several streams one at a time: in the turns of the operator's serial
/// context if there is a ``CurrentSerialContext/gathering`` context, otherwise on the emitting
/// threads.
///
/// An event that is handled immediately is not stored. An event that has to wait is stored as a
/// closure. The type of the events is therefore not part of this type, and unspecialized code needs
/// no lookup of metadata.
final class SerialTurns: Sendable {
  private let queue = SerialQueue<@Sendable () -> Void>()
  private let context = CurrentSerialContext.gathering

  /// Handles an event if no other event is being handled, and then the events that were enqueued in
  /// the meantime.
  ///
  /// - Returns: Whether the event was handled. If not, the caller must enqueue it.
  func handleIfFree(_ event: () -> Void) -> Bool {
    if let context, !context.isCurrent { return false }
    return queue.executeIfIdle(event) { $0() }
  }

  /// Handles an event after the events that were enqueued before.
  func enqueue(_ event: @escaping @Sendable () -> Void) {
    if let context, !context.isCurrent {
      context.enqueue { self.queue.post(event) { $0() } }
    } else {
      queue.post(event) { $0() }
    }
  }
}
