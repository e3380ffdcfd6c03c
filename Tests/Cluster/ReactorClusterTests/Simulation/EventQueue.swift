import ReactorCluster
import TestSupport

/// Virtual time: closures, executed in the order of their times.
final class EventQueue {
  private struct Item {
    let time: Milliseconds
    let order: Int
    let body: () -> Void

    func precedes(_ other: Item) -> Bool {
      time != other.time ? time < other.time : order < other.order
    }
  }

  private(set) var now: Milliseconds = 0
  private var heap: [Item] = []
  private var lastOrder = 0

  func schedule(after delay: Milliseconds, _ body: @escaping () -> Void) {
    lastOrder += 1
    heap.append(Item(time: now + max(0, delay), order: lastOrder, body: body))
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Executes everything until a time.
  func run(until end: Milliseconds) {
    while let first = heap.first, first.time <= end {
      now = first.time
      removeFirst()
      first.body()
    }
    now = end
  }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

extension SplitMix64 {
  mutating func next(in range: ClosedRange<Milliseconds>) -> Milliseconds {
    range.lowerBound + Milliseconds(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// Returns `true` with a probability in percent.
  mutating func happens(_ percent: UInt64) -> Bool {
    next() % 100 < percent
  }
}
