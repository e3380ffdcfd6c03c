internal import CMicrohttpd
internal import Glibc

/// A daemon of libmicrohttpd's without threads and without a listening socket: it parses and
/// answers on the connections that it is given, whenever it is told to run.
///
/// With a thread of its own libmicrohttpd 0.9.75 can stall: after a full batch of 128 events it
/// waits for more before it handles what it has. Told to run, it never waits.
///
/// It is confined to the thread of its `RequestWorker`.
@safe struct Daemon: ~Copyable {
  private let pointer: OpaquePointer

  /// What is readable when there is something to do.
  let descriptor: Int32

  /// Makes a daemon whose callbacks get `context`, a `RequestWorker`, which must outlive it.
  init(settings: MicrohttpdServer.Settings, context: UnsafeMutableRawPointer) throws(ServerError) {
    let flags =
      // libmicrohttpd's own channel between threads is useless here, and refused.
      MHD_USE_EPOLL.rawValue | (MHD_ALLOW_SUSPEND_RESUME.rawValue & ~MHD_USE_ITC.rawValue)
      | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_USE_TURBO.rawValue
    var options = unsafe reactord_daemon_options(
      flags: flags,
      connection_limit: UInt32(clamping: max(1, settings.limits.connections)),
      // libmicrohttpd clears the whole pool after each request on a kept-alive connection, so this
      // is a matter of speed: 128 KiB cost a third of all requests a second.
      connection_memory: max(32_768, min(settings.limits.headers, 1 << 26) * 2),
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
  }

  /// Whether it has work that its descriptor does not tell of.
  var hasWork: Bool {
    var milliseconds: UInt64 = 0
    // Connections have no timeouts of libmicrohttpd's, so that "yes" means "at once".
    return unsafe MHD_get_timeout(pointer, &milliseconds) == .YES
  }

  /// Does what there is to do, without waiting.
  func run() { _ = unsafe MHD_run(pointer) }

  /// Serves a connection, whose descriptor is libmicrohttpd's from here on; false when it closed
  /// it at once.
  func add(_ socket: borrowing AcceptedSocket) -> Bool {
    unsafe socket.withAddress { address, size in
      unsafe MHD_add_connection(pointer, socket.descriptor, address, size) == .YES
    }
  }

  /// Closes all connections, none of which may be suspended.
  consuming func stop() { unsafe MHD_stop_daemon(pointer) }
}
