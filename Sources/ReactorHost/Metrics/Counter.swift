internal import Synchronization

/// A number that only grows, counted on any thread.
///
/// Adding costs one relaxed atomic operation; what is read is of no particular moment.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  /// Makes a counter at zero.
  public init() {}

  /// Adds to the count.
  public func add(_ number: Int = 1) {
    count.wrappingAdd(number, ordering: .relaxed)
  }

  /// The count so far.
  public var value: Int {
    count.load(ordering: .relaxed)
  }
}
