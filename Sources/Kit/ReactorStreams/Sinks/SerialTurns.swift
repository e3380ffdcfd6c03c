/// Handles the events of several streams one at a time: in the turns of the operator's serial
/// context if there is a ``CurrentSerialContext/gathering`` context, otherwise on the emitting
/// threads.
///
/// The events of one source keep their order. Events of an ``InnerSink`` have an order of their own:
/// one that waits does not delay the events of other sources.
///
/// An event that is handled immediately is not stored. An event that has to wait is stored as a
/// closure, without a limit. The type of the events is therefore not part of this type, and
/// unspecialized code needs no lookup of metadata.
final class SerialTurns: Sendable {
  private let queue = SerialQueue<@Sendable () -> Void>()
  private let order = TurnOrder(in: CurrentSerialContext.gathering)

  /// The context in whose turns the events are handled.
  var context: (any SerialContext)? {
    order.context
  }

  /// Handles an event if no other event is being handled, and then the events that were enqueued in
  /// the meantime.
  ///
  /// - Returns: Whether the event was handled. If not, the caller must enqueue it.
  func handleIfFree(_ event: () -> Void) -> Bool {
    order.isFree && queue.executeIfIdle(event) { $0() }
  }

  /// Handles an event after the events that were enqueued before.
  func enqueue(_ event: @escaping @Sendable () -> Void) {
    guard !order.isFree, let context else { return _ = queue.post(event) { $0() } }
    order.willEnqueue()
    context.enqueue {
      self.order.didDequeue()
      self.queue.post(event) { $0() }
    }
  }
}
