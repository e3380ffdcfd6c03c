import Foundation
import Synchronization

/// Calls a function concurrently, each time on a new thread, and waits for all.
///
/// The results are in the order of their indices; the first error is thrown.
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

/// Waits until a condition holds that has no signal.
///
/// - Returns: Whether it held in time.
func eventually(
  within time: Duration = Sanitizer.timeout, _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + time
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    Thread.sleep(forTimeInterval: 0.005)
  }
  return true
}
