/// The connections whose response is delayed, in the order in which they are due.
///
/// There are so few that a sorted array is sufficient.
struct DelayedResponses {
  /// The maximum number of delayed responses; above it the response that is due next is sent early.
  static let limit = DescriptorBudget.lingering / 2

  private var responses: [(index: Int, due: Int64)] = []

  /// The number of delayed responses.
  var count: Int { responses.count }

  /// Whether there are more than the limit permits.
  var isFull: Bool { count > Self.limit }

  /// The connection whose response is due first, and its time.
  var next: (index: Int, due: Int64)? { responses.first }

  /// Adds a connection.
  mutating func insert(_ index: Int, due: Int64) {
    let position = responses.firstIndex { $0.due > due } ?? responses.endIndex
    responses.insert((index, due), at: position)
  }

  /// Removes a connection, if its response is delayed.
  mutating func remove(_ index: Int) {
    responses.removeAll { $0.index == index }
  }
}
