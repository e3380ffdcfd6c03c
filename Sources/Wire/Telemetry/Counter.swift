internal import Synchronization

/// A number that only grows.
///
/// Any thread may add to it with one relaxed atomic operation.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  /// Creates a counter at zero.
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
