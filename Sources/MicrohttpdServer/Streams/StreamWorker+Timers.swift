internal import ReactorTransport
internal import SystemThreads

extension StreamWorker {
  /// Sends the heartbeats and the delayed responses that are due, and closes connections that have
  /// lingered long enough, or whose client does not acknowledge bytes any more.
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
    while let (index, due) = delayed.next, now >= due { endDelay(index) }
    while let (index, time) = lingering.oldest, now - time >= linger { close(index) }
  }

  /// The time until the next timer is due; -1 without one.
  func millisecondsUntilTimer() -> Int32 {
    var next = Int64.max
    if let (_, time) = silence.oldest {
      next = pace.next(silentSince: time, at: now, streams: silence.count) ?? .max
    }
    if let (_, time) = unchecked.oldest { next = min(next, liveness.next(checkedAt: time)) }
    if let (_, due) = delayed.next { next = min(next, due) }
    if let (_, time) = lingering.oldest { next = min(next, time + linger) }
    return next == .max ? -1 : Int32(clamping: max(0, next - now))
  }

  private func sendHeartbeat(_ index: Int) {
    guard let chunk = slots[index].stream?.heartbeat else { return }
    if slots[index].connection.appendHeartbeat(chunk) { enqueue(index) }
  }
}
