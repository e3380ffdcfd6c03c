/// Decides when the keys of a provider are requested.
///
/// A value without a clock; times are in seconds since 1970.
struct RefreshSchedule: Sendable {
  /// The time between two requests for keys that only tokens name: each client can send one.
  static let pause: Int64 = 30

  /// The times for which keys are used without another request, within which `Cache-Control` decides.
  static let lifetimes: ClosedRange<Int64> = 60...3_600

  /// The time for which keys are used without `Cache-Control`.
  static let usualLifetime: Int64 = 300

  /// The longest time between two requests to a provider that does not respond.
  static let longestRetry: Int64 = 60

  private var begunAt: Int64?
  private var nextAt = Int64.min
  private var failures = 0

  /// Returns whether the keys are to be requested.
  func isDue(at now: Int64) -> Bool { now >= nextAt || isSetBack(now) }

  /// Returns whether the keys may be requested because a token names one that is not known.
  func permitsRequest(at now: Int64) -> Bool {
    begunAt.map { now - $0 >= Self.pause } ?? true || isSetBack(now)
  }

  /// Records the beginning of a request.
  mutating func begin(at now: Int64) { begunAt = now }

  /// Records a response, with the value of `max-age` if it has one.
  mutating func succeed(_ maxAge: Int64?, at now: Int64) {
    failures = 0
    let lifetime = maxAge ?? Self.usualLifetime
    nextAt = now + min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
  }

  /// Records the lack of a usable response.
  mutating func fail(at now: Int64) {
    failures += 1
    nextAt = now + min(Self.longestRetry, 1 << Int64(min(failures, 6)))
  }

  /// Whether the clock was set to an earlier time.
  private func isSetBack(_ now: Int64) -> Bool { begunAt.map { now < $0 } ?? false }
}
