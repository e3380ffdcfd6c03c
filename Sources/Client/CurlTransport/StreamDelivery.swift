internal import ClientCore
internal import Dispatch
internal import Synchronization

/// The events of a stream between the thread of the transport and a recipient, which may block.
///
/// At most ``bound`` bytes wait, and one more part of at most 16 KiB; then the transfer is paused.
final class StreamDelivery: TransportConnection {
  private struct State: Sendable {
    var events: [TransportEvent] = []
    /// The bytes in `events` and in those that are being delivered.
    var size = 0
    var isDelivering = false
    var isPaused = false
  }

  private static let bound = 65_536

  private let mailbox: TransferMailbox
  private let receive: @Sendable (TransportEvent) -> Void
  private let state = Mutex(State())

  init(_ mailbox: TransferMailbox, _ receive: @escaping @Sendable (TransportEvent) -> Void) {
    self.mailbox = mailbox
    self.receive = receive
  }

  func cancel() { mailbox.post(.cancel(self)) }

  /// Adds an event; one call at a time.
  ///
  /// - Returns: `pause` if too many bytes wait: the event is then offered again after the command
  ///   ``TransferCommand/resume(_:)``.
  @discardableResult
  func offer(_ event: TransportEvent) -> Transfer.Reception {
    let (reception, mustStart) = state.withLock { state -> (Transfer.Reception, Bool) in
      if case .bytes(let bytes) = event {
        guard state.size < Self.bound else {
          state.isPaused = true
          return (.pause, false)
        }
        state.size += bytes.count
      }
      state.events.append(event)
      defer { state.isDelivering = true }
      return (.more, !state.isDelivering)
    }
    if mustStart { DispatchQueue.global(qos: .userInitiated).async { [self] in deliver() } }
    return reception
  }

  private func deliver() {
    var delivered = 0
    while true {
      let (events, mustResume) = state.withLock { state -> ([TransportEvent], Bool) in
        state.size -= delivered
        state.isDelivering = !state.events.isEmpty
        defer {
          state.events = []
          state.isPaused = false
        }
        return (state.events, state.isPaused)
      }
      if mustResume { mailbox.post(.resume(self)) }
      guard !events.isEmpty else { return }
      delivered = 0
      for event in events {
        receive(event)
        if case .bytes(let bytes) = event { delivered += bytes.count }
      }
    }
  }
}
