internal import CMicrohttpd

/// A running daemon of libmicrohttpd's.
///
/// Stopping it is the only way to let go of it.
@safe struct Daemon: ~Copyable, Sendable {
  private let address: UInt

  /// The callbacks' context, kept alive until the daemon has stopped.
  private let core: ServerCore

  /// Starts the worker threads.
  ///
  /// The socket belongs to libmicrohttpd from here on, also when this throws: it closes it in
  /// nearly every failure, and a descriptor that leaks while a process fails to start is better
  /// than one closed twice.
  init(listeningOn socket: consuming ListeningSocket, core: ServerCore) throws(ServerError) {
    let settings = core.settings
    let flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
      | MHD_USE_TURBO.rawValue
    var options = unsafe reactord_daemon_options(
      flags: flags,
      listening_socket: socket.release(),
      workers: UInt32(clamping: max(1, settings.workers)),
      connection_limit: UInt32(clamping: max(1, settings.limits.connections)),
      timeout_seconds: UInt32(clamping: max(0, settings.idleTimeout)),
      // libmicrohttpd clears the whole pool after each request on a kept-alive connection, so this
      // is a matter of speed: 128 KiB cost a third of all requests a second.
      connection_memory: max(32_768, min(settings.limits.headers, 1 << 26) * 3),
      // Not retained: `core` is ours until `MHD_stop_daemon` has joined the threads.
      context: Unmanaged.passUnretained(core).toOpaque(),
      access: DaemonCallbacks.access,
      target: DaemonCallbacks.target,
      completed: DaemonCallbacks.completed,
      connection: DaemonCallbacks.connection,
      unescape: DaemonCallbacks.unescape)
    guard let pointer = unsafe reactord_start_daemon(&options) else {
      throw ServerError(.noResources, "libmicrohttpd could not start its threads.")
    }
    address = UInt(bitPattern: pointer)
    self.core = core
  }

  /// Closes the listening socket and all connections, and joins the worker threads.
  ///
  /// Blocks. No connection may be suspended (`ServerCore.finishRequests` sees to it).
  consuming func stop() { unsafe MHD_stop_daemon(OpaquePointer(bitPattern: address)) }
}
