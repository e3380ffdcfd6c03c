/// A first-in, first-out queue.
///
/// Removing an element does not move the others. The storage of removed elements is reclaimed in
/// batches, and completely when the queue becomes empty.
@usableFromInline
package struct Fifo<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0

  /// Creates an empty queue.
  @inlinable
  package init() {}

  /// Creates a queue with elements.
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

  /// The oldest element.
  package var first: Element? {
    head < slots.count ? slots[head] : nil
  }

  /// The newest element.
  package var last: Element? {
    slots.last ?? nil
  }

  /// All elements, the oldest first.
  @usableFromInline
  package var elements: [Element] {
    slots[head...].compactMap { $0 }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    slots.append(element)
  }

  /// Inserts elements before the oldest one.
  package mutating func prepend(_ elements: [Element]) {
    slots.insert(contentsOf: elements, at: head)
  }

  /// Removes and returns the oldest element.
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
