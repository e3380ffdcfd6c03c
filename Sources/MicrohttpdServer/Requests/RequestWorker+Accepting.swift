internal import SystemThreads

internal import Glibc

extension RequestWorker {
  /// Watches the listening sockets, if there is room, or a connection that can be closed for it.
  func startAccepting() {
    // Another thread may have been woken for a connection that waits for one of this thread's: only
    // adding the sockets again reports it here.
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

  /// Accepts connections; returns whether there are no more for now.
  private func accept(from listener: ListeningSocket) -> Bool {
    for attempt in 0..<16 {
      let reservation = core.reserveConnection()
      if reservation != .regular {
        // Only the first attempt knows that a connection waits.
        if attempt > 0 || closingIdle > 0 || closeIdlest() {
          // There is room as soon as libmicrohttpd has closed the connection.
          if reservation == .reserved { core.releaseConnection() }
          return true
        }
        core.closeIdle(except: loop)
      }
      guard reservation != .none else {
        stopAccepting()
        // A connection may have been closed before `reserveConnection()` asked for a notification.
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
  /// - Returns: Whether there was one.
  func closeIdlest() -> Bool {
    guard let index = deadlines.removeLongestWaiting() else { return false }
    _ = shutdown(slots[index].socket, Int32(SHUT_RDWR))
    slots[index].isClosing = true
    closingIdle += 1
    return true
  }

  private func add(_ socket: consuming AcceptedSocket, isReserved: Bool) {
    let peer = socket.peer
    switch core.admission.admit(peer) {
    case .admitted(let permit):
      arriving = (peer, permit, isReserved)
      _ = daemon?.add(socket)
      guard arriving != nil else { return }
      // libmicrohttpd rejected it, and does not report that it was closed.
      arriving = nil
    case .rejected: core.reject(socket)
    }
    core.releaseConnection()
  }

  private func stopWatching() {
    for listener in listeners { listener.unwatch(in: loop.poller) }
    readyListeners.removeAll()
  }
}
