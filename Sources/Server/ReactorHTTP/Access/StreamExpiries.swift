internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// Wakes streams when their credentials expire, and when the keys, tokens, rules or delegates change.
final class StreamExpiries: Sendable {
  private struct State {
    var schedule = ExpirySchedule()
    /// The task that wakes the streams, or `nil` while no expiry is left.
    var timer: Task<Void, Never>?
  }

  /// Returns the time in milliseconds since 1970.
  let now: @Sendable () -> Int64
  private let state = Mutex(State())
  private let changes = Atomic<UInt64>(0)

  /// The group of all streams that depend on the configuration.
  let changed = StreamGroup()

  /// Creates an object without streams.
  ///
  /// - Parameter now: Returns the time in milliseconds since 1970.
  init(now: @escaping @Sendable () -> Int64 = { Timestamp.now.milliseconds }) {
    self.now = now
  }

  /// The number of changes of the configuration.
  var changeCount: UInt64 { changes.load(ordering: .acquiring) }

  /// The keys, tokens or rules were replaced, or the decisions of delegates can differ.
  func configurationChanged() {
    changes.add(1, ordering: .releasing)
    changed.wake()
  }

  /// Wakes the group of a stream when its credential expires, in seconds since 1970.
  func join(_ expiry: Int64, _ group: StreamGroup) {
    state.withLock { state in
      let earliest = state.schedule.earliest
      state.schedule.join(expiry, group)
      if state.timer == nil || earliest != state.schedule.earliest {
        state.timer?.cancel()
        state.timer = Task { await self.wakeStreams() }
      }
    }
  }

  /// Removes the group of a stream.
  func leave(_ expiry: Int64, _ group: StreamGroup) {
    state.withLock { state in
      state.schedule.leave(expiry, group)
      guard state.schedule.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  /// Wakes streams until no expiry is left, or the task is cancelled.
  private func wakeStreams() async {
    while true {
      let (groups, pause) = state.withLock { state -> ([StreamGroup], Int64?) in
        // Cancelled under the lock: the schedule is empty, or another task serves it.
        guard !Task.isCancelled else { return ([], nil) }
        let due = state.schedule.due(at: now())
        if due.pause == nil { state.timer = nil }
        return due
      }
      for group in groups { group.wake() }
      guard let pause else { return }
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
    }
  }
}
