internal import Synchronization

/// The bytes that the connections of each client hold, of all threads.
///
/// Clients with the same `TurnBudget.Entry` count as one. All methods are safe on any thread.
final class ClientBytes: Sendable {
  private final class Sum: Sendable {
    let bytes = Atomic<Int>(0)
  }

  private let sums = (0...ConnectionTurns.others).map { _ in Sum() }

  /// Adds bytes of a client, or removes some.
  func add(_ difference: Int, of client: TurnBudget.Entry) {
    sums[Int(client)].bytes.add(difference, ordering: .relaxed)
  }

  /// The client with the most bytes, or `nil` if no client has any.
  var largest: TurnBudget.Entry? {
    var (largest, most) = (TurnBudget.Entry?.none, 0)
    for (client, sum) in sums.enumerated() {
      let bytes = sum.bytes.load(ordering: .relaxed)
      if bytes > most { (largest, most) = (TurnBudget.Entry(client), bytes) }
    }
    return largest
  }
}
