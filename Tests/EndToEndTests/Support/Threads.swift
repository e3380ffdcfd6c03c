import Foundation
import Synchronization

/// Does several things at the same time, each on a thread of its own, and waits for all.
///
/// The results stand in the order of their indices; the first error is thrown.
func concurrently<Value: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let results = Watched<[Int: Result<Value, any Error>]>([:])
  for index in 0..<count {
    Thread.detachNewThread {
      let result = Result { try body(index) }
      results.change { $0[index] = result }
    }
  }
  let done = results.first(within: .seconds(60)) { $0.count == count ? $0 : nil }
  guard let done else { throw WireError.timedOut(waitingFor: "threads") }
  return try (0..<count).compactMap { try done[$0]?.get() }
}

/// Waits until something is so, for what has no signal of its own.
///
/// - Returns: Whether it was so in time.
func eventually(
  within time: Duration = Sanitizer.patience, _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + time
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    Thread.sleep(forTimeInterval: 0.005)
  }
  return true
}
