internal import ReactorTransport
internal import Synchronization
internal import SystemThreads

extension StreamWorker {
  /// Sends the heartbeats that are due, and closes connections that have
  /// lingered long enough, or whose client does not acknowledge or read bytes any more.
  func serveTimers() {
    pace.advance(to: now, streams: silence.count)
    while let (index, time) = silence.oldest, pace.isDue(silentSince: time, at: now) {
      silence.touch(index, at: now)
      sendHeartbeat(index)
    }
    while let (index, time) = unchecked.oldest, liveness.isDue(checkedAt: time, at: now) {
      unchecked.touch(index, at: now)
      if slots[index].socket?.isAbandoned(for: liveness.timeout) == true { close(index) }
    }
    while let (index, time) = stalled.oldest, now - time >= stall { closeIfStalled(index) }
    while let (index, time) = lingering.oldest, now - time >= linger { close(index) }
  }

  /// The time until the next timer is due; -1 without one.
  func millisecondsUntilTimer() -> Int32 {
    var next = Int64.max
    if let (_, time) = silence.oldest {
      next = pace.next(silentSince: time, at: now, streams: silence.count) ?? .max
    }
    if let (_, time) = unchecked.oldest { next = min(next, liveness.next(checkedAt: time)) }
    if let (_, time) = stalled.oldest { next = min(next, time + stall) }
    if let (_, time) = lingering.oldest { next = min(next, time + linger) }
    return next == .max ? -1 : Int32(clamping: max(0, next - now))
  }

  /// Closes a connection whose socket accepts no byte.
  ///
  /// The kernel reports room only when a large part of the buffer is free, so that a client that reads
  /// slowly causes no event for a long time.
  private func closeIfStalled(_ index: Int) {
    guard let socket = slots[index].socket else { return }
    write(index, to: socket)
    if stalled.time(of: index) != nil {
      loop.overdue.add(1, ordering: .relaxed)
      close(index)
    } else if slots[index].socket != nil, slots[index].connection.unblock() {
      enqueue(index)
    }
  }

  private func sendHeartbeat(_ index: Int) {
    guard slots[index].connection.takesHeartbeat, let chunk = slots[index].stream?.heartbeat else {
      return
    }
    var isAppended = false
    update(index) { isAppended = $0.appendHeartbeat(chunk) }
    if isAppended { enqueue(index) }
  }
}
