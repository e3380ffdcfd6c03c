import Foundation
import Synchronization

/// Calls a function concurrently, each time on a new thread, and waits for all.
///
/// The results are in the order of their indices; the first error is thrown.
func concurrently<Value: Sendable>(
  _ count: Int, within time: Duration = Connection.timeout * 2,
  _ body: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let results = Watched<[Int: Result<Value, any Error>]>([:])
  for index in 0..<count {
    Thread.detachNewThread {
      let result = Result { try body(index) }
      results.change { $0[index] = result }
    }
  }
  let done = results.first(within: time) { $0.count == count ? $0 : nil }
  guard let done else { throw WireError.timedOut(waitingFor: "threads") }
  return try (0..<count).compactMap { try done[$0]?.get() }
}
