/// How values are spread, counted on any thread.
public final class Histogram: Sendable {
  /// What a bucket holds at most, in ascending order.
  let bounds: [Int]
  /// How many of the counted units one of the told ones has.
  let scale: Double
  private let buckets: [Counter]
  private let total = Counter()

  /// Makes an empty histogram.
  ///
  /// - Parameters:
  ///   - bounds: What each bucket holds at most, in ascending order; one more holds the rest.
  ///   - scale: How many of the counted units make one of those that are told.
  public init(bounds: [Int], scale: Double = 1) {
    self.bounds = bounds
    self.scale = scale
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Numbers of things, from one to thousands.
  public static func ofSizes() -> Histogram {
    Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000])
  }

  /// Times, counted in microseconds and told in seconds, from a tenth of a millisecond to seconds.
  public static func ofTimes() -> Histogram {
    Histogram(
      bounds: [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000,
      ], scale: 1_000_000)
  }

  /// Counts a value.
  public func record(_ value: Int) {
    buckets[bounds.firstIndex { value <= $0 } ?? bounds.count].add()
    total.add(value)
  }

  /// Counts a time, in microseconds.
  public func record(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    record(Int(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
  }

  /// How many values each bucket holds, and their sum in the told unit.
  func snapshot() -> (buckets: [Int], sum: Double) {
    (buckets.map(\.value), Double(total.value) / scale)
  }
}
