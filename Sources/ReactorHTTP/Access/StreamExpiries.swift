internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// Wakes streams when their credentials expire, and when the keys, tokens or rules change.
final class StreamExpiries: Sendable {
  /// The streams whose credentials expire in the same second.
  private struct Bucket {
    let group: StreamGroup
    let timer: Task<Void, Never>
    var streams: Int
  }

  private let buckets = Mutex<[Int64: Bucket]>([:])
  private let changes = Atomic<UInt64>(0)

  /// The group of all streams that depend on the configuration.
  let changed = StreamGroup()

  /// The number of changes of the configuration.
  var changeCount: UInt64 { changes.load(ordering: .acquiring) }

  /// The keys, tokens or rules were replaced.
  func configurationChanged() {
    changes.add(1, ordering: .releasing)
    changed.wake()
  }

  /// Adds a stream whose credential expires at a time, in seconds since 1970.
  ///
  /// - Returns: The group that is woken then.
  func join(_ expiry: Int64) -> StreamGroup {
    buckets.withLock { buckets in
      if let known = buckets[expiry] {
        buckets[expiry]?.streams += 1
        return known.group
      }
      let group = StreamGroup()
      let timer = Task { await Self.wake(group, at: expiry) }
      buckets[expiry] = Bucket(group: group, timer: timer, streams: 1)
      return group
    }
  }

  /// Removes a stream.
  func leave(_ expiry: Int64) {
    buckets.withLock { buckets in
      guard var bucket = buckets[expiry] else { return }
      bucket.streams -= 1
      if bucket.streams == 0 { bucket.timer.cancel() }
      buckets[expiry] = bucket.streams == 0 ? nil : bucket
    }
  }

  /// The longest sleep, after which the clock of the system is read again.
  private static let longestSleep: Int64 = 600_000

  private static func wake(_ group: StreamGroup, at expiry: Int64) async {
    // Expiries beyond the year 30,000 are clamped to it.
    let end = min(expiry, 884_541_340_800) * 1000
    while true {
      let remaining = end - Timestamp.now.milliseconds
      guard remaining > 0 else { return group.wake() }
      do {
        try await Task.sleep(for: .milliseconds(min(remaining, longestSleep)))
      } catch {
        return
      }
    }
  }
}
