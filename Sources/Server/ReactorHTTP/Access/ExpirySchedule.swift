internal import ReactorTransport

/// Decides when to wake the streams whose credentials expire.
///
/// A pure data structure, with neither a clock nor a thread.
struct ExpirySchedule {
  /// The longest time between two readings of the clock, which can be set, in milliseconds.
  static let longestPause: Int64 = 1000

  /// The latest expiry, in seconds since 1970, in the year 30,000: later ones are shortened to it.
  private static let last: Int64 = 884_541_340_800

  /// The groups of the streams whose credentials expire in the same second, and that have not been woken.
  private var groups: [Int64: [ObjectIdentifier: StreamGroup]] = [:]

  /// The earliest expiry, in seconds since 1970, or `nil` for none.
  private(set) var earliest: Int64?

  /// Whether no stream is to be woken.
  var isEmpty: Bool { groups.isEmpty }

  /// Adds the group of a stream whose credential expires at a time, in seconds since 1970.
  mutating func join(_ expiry: Int64, _ group: StreamGroup) {
    let expiry = min(expiry, Self.last)
    groups[expiry, default: [:]][ObjectIdentifier(group)] = group
    earliest = min(earliest ?? expiry, expiry)
  }

  /// Removes the group of a stream, unless it was woken.
  mutating func leave(_ expiry: Int64, _ group: StreamGroup) {
    let expiry = min(expiry, Self.last)
    groups[expiry]?[ObjectIdentifier(group)] = nil
    guard groups[expiry]?.isEmpty == true else { return }
    groups[expiry] = nil
    if groups.isEmpty { earliest = nil }
  }

  /// Returns the groups to wake at a time in milliseconds since 1970.
  ///
  /// - Returns: The groups, and the time until the next call in milliseconds, or `nil` if there is no
  ///   expiry left.
  mutating func due(at now: Int64) -> (groups: [StreamGroup], pause: Int64?) {
    guard let next = earliest else { return ([], nil) }
    guard next * 1000 <= now else { return ([], min(next * 1000 - now, Self.longestPause)) }
    var due: [StreamGroup] = []
    earliest = nil
    for (expiry, streams) in groups {
      if expiry * 1000 <= now {
        due += streams.values
        groups[expiry] = nil
      } else {
        earliest = min(earliest ?? expiry, expiry)
      }
    }
    return (due, earliest.map { min($0 * 1000 - now, Self.longestPause) })
  }
}
