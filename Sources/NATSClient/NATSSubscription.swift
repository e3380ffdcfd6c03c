internal import CNats

/// A subscription to a subject; it ends when the object is released.
@safe
// Proof: libnats locks a subscription in each call, and the pointer is set once and destroyed in
// `deinit`, after which nothing can refer to it.
public final class NATSSubscription: @unchecked Sendable {
  fileprivate static let receivers = CallbackTable<@Sendable (NATSMessage) -> Void>()

  private let handle: OpaquePointer
  private let number: UInt
  /// Released after the subscription.
  private let connection: NATSConnection

  @unsafe init(
    _ library: OpaquePointer, _ connection: NATSConnection, _ subject: String, bound: Int?,
    _ receive: @escaping @Sendable (NATSMessage) -> Void
  ) throws(NATSError) {
    number = Self.receivers.add(receive)
    self.connection = connection
    var created: OpaquePointer?
    let status = unsafe natsConnection_Subscribe(
      &created, library, subject, subscriptionDidReceive,
      UnsafeMutableRawPointer(bitPattern: number))
    guard let handle = unsafe created, status == NATS_OK else {
      Self.receivers.remove(number)
      throw NATSError(status) ?? NATSError(.failed, "no subscription")
    }
    unsafe self.handle = handle
    let limit = bound.map { Int32(clamping: $0) } ?? -1
    try unsafe natsSubscription_SetPendingLimits(handle, limit, -1).check()
  }

  deinit {
    Self.receivers.remove(number)
    unsafe natsSubscription_Destroy(handle)
  }

  /// The number of messages that were dropped because too many waited.
  public var dropped: Int {
    var count: Int64 = 0
    return unsafe natsSubscription_GetDropped(handle, &count) == NATS_OK ? Int(count) : 0
  }
}

private func subscriptionDidReceive(
  _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?,
  _ number: UnsafeMutableRawPointer?
) {
  guard let message = unsafe message else { return }
  defer { unsafe UsedMessages.free(message) }
  guard let receive = NATSSubscription.receivers[UInt(bitPattern: number)] else { return }
  receive(unsafe NATSMessage(copying: message))
}
