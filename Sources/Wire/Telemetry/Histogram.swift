internal import Synchronization

/// Counts values in buckets.
///
/// Any thread may record values.
public final class Histogram: Sendable {
  /// The upper bounds of the buckets, in ascending order.
  let bounds: [Int]
  /// The number of recorded units per exported unit.
  let scale: Double
  // Not an array of `Counter` objects: each record would retain one.
  private let buckets = InlineArray<16, Atomic<Int>> { _ in Atomic(0) }
  private let total = Atomic<Int>(0)

  /// Creates an empty histogram.
  ///
  /// - Parameters:
  ///   - bounds: The upper bounds of the buckets, in ascending order, at most 15; one more bucket has no
  ///     bound.
  ///   - scale: The number of recorded units per exported unit.
  public init(bounds: [Int], scale: Double = 1) {
    self.bounds = bounds
    self.scale = scale
    precondition(bounds.count < buckets.count, "a histogram has at most 15 bounds")
  }

  /// Returns a histogram of numbers from 1 to 5,000.
  public static func ofSizes() -> Histogram {
    Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000])
  }

  /// Returns a histogram of times from 100 µs to 5 s, recorded in microseconds and exported in
  /// seconds.
  public static func ofTimes() -> Histogram {
    Histogram(
      bounds: [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000,
      ], scale: 1_000_000)
  }

  /// Whether no value was recorded.
  public var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

  /// Records a value.
  public func record(_ value: Int) {
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    buckets[index].wrappingAdd(1, ordering: .relaxed)
    total.wrappingAdd(value, ordering: .relaxed)
  }

  /// Records a time, in microseconds.
  public func record(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    record(Int(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
  }

  /// Returns the number of values in each bucket, and the sum of all values in the exported unit.
  func snapshot() -> (buckets: [Int], sum: Double) {
    (counts, Double(total.load(ordering: .relaxed)) / scale)
  }

  private var counts: [Int] {
    (0...bounds.count).map { buckets[$0].load(ordering: .relaxed) }
  }
}
