internal import ReactorTransport

/// Decides when to wake the streams whose credentials expire.
///
/// A pure data structure, with neither a clock nor a thread.
struct ExpirySchedule {
  /// The streams whose credentials expire in the same second.
  private struct Bucket {
    let group = StreamGroup()
    var streams = 0
    var isWoken = false
  }

  /// The longest time between two readings of the clock, which can be set, in milliseconds.
  static let longestPause: Int64 = 1000

  /// The latest expiry, in seconds since 1970, in the year 30,000: later ones are shortened to it.
  private static let last: Int64 = 884_541_340_800

  private var buckets: [Int64: Bucket] = [:]

  /// The earliest expiry whose streams have not been woken, in seconds since 1970, or `nil` for none.
  private(set) var earliest: Int64?

  /// Whether there are no streams.
  var isEmpty: Bool { buckets.isEmpty }

  /// Adds a stream whose credential expires at a time, in seconds since 1970.
  ///
  /// - Returns: The group that is woken at that time.
  mutating func join(_ expiry: Int64) -> StreamGroup {
    let expiry = min(expiry, Self.last)
    var bucket = buckets[expiry] ?? Bucket()
    bucket.streams += 1
    buckets[expiry] = bucket
    if !bucket.isWoken { earliest = min(earliest ?? expiry, expiry) }
    return bucket.group
  }

  /// Removes a stream.
  mutating func leave(_ expiry: Int64) {
    let expiry = min(expiry, Self.last)
    guard var bucket = buckets[expiry] else { return }
    bucket.streams -= 1
    buckets[expiry] = bucket.streams > 0 ? bucket : nil
    if buckets.isEmpty { earliest = nil }
  }

  /// Returns the groups to wake at a time in milliseconds since 1970.
  ///
  /// - Returns: The groups, and the time until the next call in milliseconds, or `nil` if there is no
  ///   expiry left.
  mutating func due(at now: Int64) -> (groups: [StreamGroup], pause: Int64?) {
    guard let next = earliest else { return ([], nil) }
    guard next * 1000 <= now else { return ([], min(next * 1000 - now, Self.longestPause)) }
    var groups: [StreamGroup] = []
    earliest = nil
    for (expiry, bucket) in buckets where !bucket.isWoken {
      if expiry * 1000 <= now {
        buckets[expiry]?.isWoken = true
        groups.append(bucket.group)
      } else {
        earliest = min(earliest ?? expiry, expiry)
      }
    }
    return (groups, earliest.map { min($0 * 1000 - now, Self.longestPause) })
  }
}
