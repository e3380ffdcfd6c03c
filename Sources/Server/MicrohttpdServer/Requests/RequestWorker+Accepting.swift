internal import Glibc
internal import Shares
internal import SystemThreads

extension RequestWorker {
  /// Watches the listening sockets, if there is room for a connection, or an idle connection can be
  /// closed to make room.
  func startAccepting() {
    // A connection waits in the kernel, and this thread can close an idle connection for it. The
    // poller of another thread may have reported it; adding the sockets again reports it here.
    if isAccepting, closingIdle == 0, deadlines.hasWaiting, core.hasRejectedConnection {
      stopAccepting()
    }
    guard !isAccepting, core.hasRoom || deadlines.hasWaiting, acceptsAgain ?? now <= now
    else { return }
    acceptsAgain = nil
    isAccepting = listeners.indices.allSatisfy { index in
      listeners[index].watch(in: loop.poller, token: UInt64(index))
    }
    if !isAccepting { stopWatching() }
  }

  /// Stops watching the listening sockets; new connections wait in the kernel.
  func stopAccepting() {
    guard isAccepting else { return }
    isAccepting = false
    stopWatching()
  }

  /// Stops accepting from sockets that another process listens on as well.
  func leaveInheritedSockets() {
    stopAccepting()
    listeners.removeAll { $0.isInherited }
  }

  /// Accepts up to 16 connections from each ready listening socket.
  func acceptConnections() {
    for index in readyListeners where accept(from: listeners[index]) {
      readyListeners.remove(index)
    }
  }

  /// Accepts up to 16 connections.
  ///
  /// - Returns: Whether to wait until the socket is reported as ready again.
  private func accept(from listener: ListeningSocket) -> Bool {
    for attempt in 0..<16 {
      let reservation = core.reserveConnection()
      if reservation != .regular {
        // Close an idle connection only in the first attempt: a later one may find no connection.
        if attempt > 0 || closingIdle > 0 || closeIdlest() {
          // There is room as soon as libmicrohttpd has closed the idle connection.
          if reservation == .reserved { core.releaseConnection() }
          return true
        }
        core.closeIdle(except: loop)
      }
      guard reservation != .none else {
        stopAccepting()
        // A connection can have been closed before `reserveConnection()` requested a notification.
        if core.hasRoom { startAccepting() }
        return true
      }
      switch listener.accept() {
      case .connection(let socket): add(socket, isReserved: reservation == .reserved)
      case .gone: core.releaseConnection()
      case .none:
        core.releaseConnection()
        return true
      case .exhausted:
        core.releaseConnection()
        stopAccepting()
        acceptsAgain = now + 100
        return true
      }
    }
    return false
  }

  /// Closes the connection that has waited longest for a request.
  ///
  /// - Parameter account: The client, or `nil` for connections of all clients.
  /// - Returns: Whether there was one.
  func closeIdlest(of account: Account? = nil) -> Bool {
    let index = deadlines.removeLongestWaiting {
      account == nil || slots[$0].place.account == account
    }
    guard let index else { return false }
    _ = shutdown(slots[index].socket, Int32(SHUT_RDWR))
    slots[index].isClosing = true
    closingIdle += 1
    return true
  }

  private func add(_ socket: consuming AcceptedSocket, isReserved: Bool) {
    let peer = socket.peer
    let admitted = core.admission.admit(peer, isReserved: isReserved) { closeIdlest(of: $0) }
    switch admitted {
    case .success(let place):
      arriving = (peer, place, isReserved)
      _ = daemon?.add(socket)
      guard arriving != nil else { return }
      // libmicrohttpd rejected the connection and closed it without a callback.
      if place.isCounted { place.account?.release(.connections) }
      arriving = nil
    case .failure(let reason): core.reject(socket, for: reason)
    }
    core.releaseConnection()
  }

  private func stopWatching() {
    for listener in listeners { listener.unwatch(in: loop.poller) }
    readyListeners.removeAll()
  }
}
