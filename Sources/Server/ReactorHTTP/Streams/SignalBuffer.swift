/// The latest signals of a session, shared by its subscribers, each of which has a position in it.
///
/// A pure data structure. A subscriber that is further behind than ``bound`` misses the oldest ones.
struct SignalBuffer {
  /// The maximum number of retained signals.
  static let bound = 64

  private var signals: [StreamNotice] = []

  /// The number of signals so far: the position of a new subscriber.
  private(set) var count = 0

  /// Appends a signal; drops the oldest one above the bound.
  mutating func append(_ signal: StreamNotice) {
    if signals.count < Self.bound {
      signals.append(signal)
    } else {
      signals[count % Self.bound] = signal
    }
    count += 1
  }

  /// Returns the next retained signal for a subscriber, and its position after it.
  func next(at position: Int) -> (signal: StreamNotice, position: Int)? {
    guard position < count else { return nil }
    let index = max(position, count - signals.count)
    return (signals[index % Self.bound], index + 1)
  }
}
