/// A queue: elements leave in the order in which they came.
///
/// Taking one out costs no move of the others; the room of those that left is given back from time
/// to time, and all of it when the queue runs empty.
@usableFromInline
package struct Fifo<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0

  /// Makes an empty queue.
  package init() {}

  /// Makes a queue with these elements.
  package init(_ elements: some Sequence<Element>) {
    slots = elements.map { $0 }
  }

  @inlinable
  package var isEmpty: Bool {
    head == slots.count
  }

  @inlinable
  package var count: Int {
    slots.count - head
  }

  /// The element that leaves next.
  package var first: Element? {
    head < slots.count ? slots[head] : nil
  }

  /// The element that came last.
  package var last: Element? {
    slots.last ?? nil
  }

  /// All elements, the oldest first.
  package var elements: [Element] {
    slots[head...].compactMap { $0 }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    slots.append(element)
  }

  /// Takes the oldest element out.
  @inlinable
  package mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    defer { reclaim() }
    defer { head += 1 }
    return slots[head].take()
  }

  @inlinable
  mutating func reclaim() {
    if head == slots.count {
      slots.removeAll(keepingCapacity: slots.capacity <= 64)
      head = 0
    } else if head >= 64, head * 2 >= slots.count {
      slots.removeFirst(head)
      head = 0
    }
  }
}

extension Fifo: Sendable where Element: Sendable {}
