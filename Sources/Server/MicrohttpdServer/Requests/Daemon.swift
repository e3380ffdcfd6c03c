internal import CMicrohttpd
internal import CSocketFilter
internal import Glibc

/// A libmicrohttpd daemon without threads and without a listening socket.
///
/// It serves the connections that are added to it, each time `processReady()` is called. With a thread of its
/// own, libmicrohttpd 0.9.75 can stall: after a full batch of 128 events it waits for more before it
/// handles them.
///
/// Confined to the thread of its `RequestWorker`.
@safe struct Daemon: ~Copyable {
  private let pointer: OpaquePointer
  private let context: UnsafeMutableRawPointer

  /// The epoll descriptor; it is readable when a connection is ready.
  let descriptor: Int32

  /// Creates a daemon.
  ///
  /// - Parameters:
  ///   - settings: The limits of connections and heads.
  ///   - context: The `RequestWorker` for the callbacks; it must outlive the daemon.
  /// - Throws: If libmicrohttpd cannot start.
  init(settings: MicrohttpdServer.Settings, context: UnsafeMutableRawPointer) throws(ServerError) {
    let flags =
      reactord_single_thread_flags() | MHD_USE_EPOLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
      | MHD_USE_TURBO.rawValue
    var options = unsafe reactord_daemon_options(
      flags: flags,
      connection_limit: UInt32(
        clamping: max(1, settings.limits.connections + settings.limits.reserved)),
      // libmicrohttpd clears the whole pool after each request of a kept-alive connection: with
      // 128 KiB the request rate is a third lower.
      connection_memory: Self.connectionMemory(settings.limits),
      context: context,
      access: DaemonCallbacks.access,
      target: DaemonCallbacks.target,
      completed: DaemonCallbacks.completed,
      connection: DaemonCallbacks.connection,
      unescape: DaemonCallbacks.unescape)
    guard let pointer = unsafe reactord_start_daemon(&options) else {
      throw ServerError(.noResources, "libmicrohttpd could not start.")
    }
    descriptor = unsafe reactord_daemon_epoll_descriptor(pointer)
    unsafe self.pointer = pointer
    unsafe self.context = context
  }

  /// Whether there is work that does not make the descriptor readable.
  var hasWork: Bool {
    var milliseconds: UInt64 = 0
    // The connections have no libmicrohttpd timeouts, so that a timeout is always 0.
    return unsafe MHD_get_timeout(pointer, &milliseconds) == .YES
  }

  /// The memory of a connection, for its head, 64 bytes per field, and the head of the response.
  ///
  /// 24 KiB by default: a head of 16 KiB with 96 fields fits. With 32 KiB, clearing the memory took
  /// half of the instructions of a request.
  private static func connectionMemory(_ limits: MicrohttpdServer.Settings.Limits) -> Int {
    let headers = max(16_384, min(limits.headers, 1 << 26))
    return headers + headers / 4 + 4096
  }

  /// The largest head that is parsed, in bytes of the connection's memory.
  static func headLimit(_ limits: MicrohttpdServer.Settings.Limits) -> Int {
    connectionMemory(limits) - 2048
  }

  /// Whether the version of libmicrohttpd is one whose parser and use of epoll are known.
  ///
  /// With another one, connections are not reported again (`reportAgain(in:)`), so that all reads and
  /// writes are granted, and received bytes are parsed unchanged. `versions.h` has what differs.
  static let isKnown = reactord_is_known() != 0

  /// Processes all ready connections, without waiting.
  func processReady() {
    unsafe reactord_set_socket_filter(
      Self.isKnown ? DaemonCallbacks.mayReceive : nil, DaemonCallbacks.received,
      Self.isKnown ? DaemonCallbacks.maySend : nil, context)
    _ = unsafe MHD_run(pointer)
    reactord_set_socket_filter(nil, nil, nil, nil)
  }

  /// Adds a connection, and transfers its descriptor to libmicrohttpd.
  ///
  /// - Returns: `false` if libmicrohttpd rejected the connection and closed the descriptor.
  func add(_ socket: borrowing AcceptedSocket) -> Bool {
    unsafe socket.withAddress { address, size in
      unsafe MHD_add_connection(pointer, socket.descriptor, address, size) == .YES
    }
  }

  /// Stops the daemon and closes all its connections; no connection may be suspended.
  consuming func stop() { unsafe MHD_stop_daemon(pointer) }
}
