internal import CNats
internal import Synchronization

/// A connection to the brokers, which reconnects by itself until it is released.
///
/// Any thread may use it. Messages that are published while the connection is interrupted are sent
/// after the reconnection, up to a buffer of 8 MiB; see ``isConnected``.
@safe
// Proof: libnats locks a connection in each call, and the pointer is set once and destroyed in
// `deinit`, after which nothing can refer to it.
public final class NATSConnection: @unchecked Sendable {
  /// The options of a connection.
  public struct Options: Sendable {
    /// The brokers.
    public var addresses: NATSAddresses

    /// The path of a file of credentials (`.creds`), or `nil` for none.
    public var credentials: String?

    /// The name that the brokers' monitoring shows.
    public var name: String

    /// The time limit of one connection attempt, in milliseconds.
    public var timeout: Int64 = 2_000

    /// Called after the connection was interrupted or restored, but not for
    /// ``NATSConnection/close()``.
    ///
    /// It is called on a thread of the library, and must not block.
    public var stateDidChange: @Sendable (_ isConnected: Bool) -> Void = { _ in }

    /// Creates options.
    public init(_ addresses: NATSAddresses, credentials: String? = nil, name: String) {
      self.addresses = addresses
      self.credentials = credentials
      self.name = name
    }
  }

  private let handle: OpaquePointer
  private let state: ConnectionState
  private let number: UInt

  /// Whether the library can use TLS from several threads; before 3.11 it accesses one object of
  /// OpenSSL without a lock (nats.c, pull request 913).
  public static var supportsTLS: Bool { nats_GetVersionNumber() >= 0x03_0B_00 }

  /// Initializes the library once, without spinning: a thread that finds a lock taken sleeps
  /// immediately.
  ///
  /// By default a thread tries 2,000 times before it sleeps, and so occupies a core that the holder
  /// of the lock needs if the holder was preempted or writes to a socket.
  private static let isLibraryOpen = nats_Open(0) == NATS_OK

  /// Connects to one of the brokers.
  ///
  /// Blocks until a broker has accepted the connection, at most the time limit per broker.
  ///
  /// - Throws: If no broker can be reached, or the options or credentials are rejected.
  public init(_ options: Options) throws(NATSError) {
    guard Self.isLibraryOpen else { throw NATSError(.failed, "libnats cannot be initialized") }
    state = ConnectionState(options.stateDidChange)
    number = ConnectionState.all.add(state)
    var opened: OpaquePointer?
    do throws(NATSError) {
      let settings = try LibraryOptions(options, callbacks: number)
      try unsafe natsConnection_Connect(&opened, settings.handle).check()
    } catch {
      ConnectionState.all.remove(number)
      throw error
    }
    guard let opened = unsafe opened else {
      ConnectionState.all.remove(number)
      throw NATSError(.failed, "no connection")
    }
    unsafe handle = opened
    state.didConnect()
  }

  deinit {
    ConnectionState.all.remove(number)
    unsafe natsConnection_Destroy(handle)
  }

  /// Whether the connection is open and not interrupted.
  public var isConnected: Bool { state.isConnected }

  /// The number of reconnections.
  public var reconnects: Int { state.reconnects.load(ordering: .relaxed) }

  /// The maximum size of a message, in bytes; 0 while it is not known.
  public var maximumPayload: Int { Int(unsafe natsConnection_GetMaxPayload(handle)) }

  /// The address of the connected broker, or `nil` while the connection is interrupted.
  public var connectedURL: String? {
    var text = [CChar](repeating: 0, count: 512)
    guard unsafe natsConnection_GetConnectedUrl(handle, &text, text.count) == NATS_OK else {
      return nil
    }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Closes the connection.
  ///
  /// Further calls fail; subscriptions receive nothing.
  public func close() {
    state.willClose()
    unsafe natsConnection_Close(handle)
  }

  /// Publishes a message without an acknowledgement.
  ///
  /// May block for as long as the socket's buffer is full, at most two seconds.
  ///
  /// - Parameters:
  ///   - payload: The payload; at most ``maximumPayload`` bytes.
  ///   - subject: The subject, without wildcards.
  ///   - reply: The subject for a reply, or `nil` for none.
  ///   - headers: Header fields; a value is not empty and has no line breaks.
  /// - Throws: If the message was not passed to the connection.
  public func publish(
    _ payload: [UInt8], to subject: String, reply: String? = nil,
    headers: [(name: String, value: String)] = []
  ) throws(NATSError) {
    var created: OpaquePointer?
    let status = unsafe payload.withUnsafeBytes { bytes in
      unsafe natsMsg_Create(
        &created, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(clamping: bytes.count))
    }
    try status.check()
    guard let message = unsafe created else { throw NATSError(.failed, "no message") }
    defer { unsafe UsedMessages.free(message) }
    for (name, value) in headers { try unsafe natsMsgHeader_Set(message, name, value).check() }
    try unsafe natsConnection_PublishMsg(handle, message).check()
  }

  /// Subscribes to a subject, which may have wildcards.
  ///
  /// - Parameters:
  ///   - subject: The subject.
  ///   - bound: The number of received messages that may wait for `receive`; further ones are
  ///     dropped and counted, see ``NATSSubscription/dropped``. `nil` is no bound.
  ///   - receive: Called with each message, in order, on a thread of this subscription. It must not
  ///     block.
  /// - Returns: The subscription, which ends when it is released.
  /// - Throws: If the subject is invalid or the connection is closed.
  public func subscribe(
    to subject: String, bound: Int? = nil, _ receive: @escaping @Sendable (NATSMessage) -> Void
  ) throws(NATSError) -> NATSSubscription {
    try unsafe NATSSubscription(handle, self, subject, bound: bound, receive)
  }

  /// Waits until the broker has processed everything that was published or subscribed before.
  ///
  /// Blocks.
  public func flush(milliseconds: Int64 = 2_000) throws(NATSError) {
    try unsafe natsConnection_FlushTimeout(handle, milliseconds).check()
  }
}

/// The state of a connection, which the callbacks of the library change.
final class ConnectionState: Sendable {
  static let all = CallbackTable<ConnectionState>()

  let reconnects = Atomic<Int>(0)
  private let connected = Atomic<Bool>(false)
  private let stateDidChange: @Sendable (Bool) -> Void

  init(_ stateDidChange: @escaping @Sendable (Bool) -> Void) {
    self.stateDidChange = stateDidChange
  }

  var isConnected: Bool { connected.load(ordering: .acquiring) }

  func didConnect() { connected.store(true, ordering: .releasing) }

  func didReconnect() {
    reconnects.add(1, ordering: .relaxed)
    connected.store(true, ordering: .releasing)
    stateDidChange(true)
  }

  /// The library calls this for an interruption, and once more for the end of the connection.
  func didDisconnect() {
    guard connected.exchange(false, ordering: .acquiringAndReleasing) else { return }
    stateDidChange(false)
  }

  /// The owner closes the connection, which is no interruption.
  func willClose() { connected.store(false, ordering: .releasing) }
}
