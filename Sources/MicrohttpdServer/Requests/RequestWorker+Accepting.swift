extension RequestWorker {
  /// Watches the listening sockets, where there is room and they are not watched.
  func startAccepting() {
    guard !isAccepting, core.hasRoom, acceptsAgain ?? now <= now else { return }
    acceptsAgain = nil
    isAccepting = listeners.indices.allSatisfy { index in
      listeners[index].watch(in: loop.poller, token: UInt64(index))
    }
    if !isAccepting { stopWatching() }
  }

  /// Lets whoever wants to connect wait in the kernel.
  func stopAccepting() {
    guard isAccepting else { return }
    isAccepting = false
    stopWatching()
  }

  /// Accepts no more from sockets that others listen on, too.
  func leaveInheritedSockets() {
    stopAccepting()
    listeners.removeAll { $0.isInherited }
  }

  /// Takes new connections from the sockets where somebody waits, a few of each.
  func acceptConnections() {
    for index in readyListeners where accept(from: listeners[index]) {
      readyListeners.remove(index)
    }
  }

  /// True when there is nobody left to accept for now.
  private func accept(from listener: ListeningSocket) -> Bool {
    for _ in 0..<16 {
      guard core.takeRoom() else {
        stopAccepting()
        // Whoever closed a connection in the meantime did not know that this waits for it.
        if core.hasRoom { startAccepting() }
        return true
      }
      switch listener.accept() {
      case .connection(let socket): add(socket)
      case .gone: core.giveRoomBack()
      case .none:
        core.giveRoomBack()
        return true
      case .exhausted:
        core.giveRoomBack()
        stopAccepting()
        acceptsAgain = now + 100
        return true
      }
    }
    return false
  }

  private func add(_ socket: consuming AcceptedSocket) {
    let peer = socket.peer
    switch core.admission.admit(peer) {
    case .welcome(let permit):
      arriving = (peer, permit)
      _ = daemon?.add(socket)
      guard arriving != nil else { return }
      // libmicrohttpd did not take it, so that nobody will tell that it was closed.
      arriving = nil
    case .refused: core.refuse(socket)
    }
    core.giveRoomBack()
  }

  private func stopWatching() {
    for listener in listeners { listener.unwatch(in: loop.poller) }
    readyListeners.removeAll()
  }
}
