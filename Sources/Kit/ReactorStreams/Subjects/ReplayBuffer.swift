/// The last elements of a stream, up to a limit.
@usableFromInline
struct ReplayBuffer<Element> {
  @usableFromInline let limit: Int

  /// The newest element.
  ///
  /// It is separate, so that a buffer of one element, the most frequent one, needs no queue.
  @usableFromInline var latest: Element?
  /// The elements before it.
  @usableFromInline var older: Fifo<Element>

  init(limit: Int, _ seed: [Element] = []) {
    self.limit = limit
    let seed = seed.suffix(max(0, limit))
    latest = seed.last
    older = Fifo(seed.dropLast())
  }

  /// The elements, the oldest first.
  var elements: [Element] {
    guard let latest else { return [] }
    return older.isEmpty ? [latest] : older.elements + [latest]
  }

  /// Adds an element.
  ///
  /// - Returns: The element that was removed because the limit was reached.
  @inlinable
  mutating func append(_ element: Element) -> Element? {
    guard limit > 0 else { return nil }
    let previous = latest.take()
    latest = element
    guard limit > 1, let previous else { return previous }
    older.append(previous)
    return older.count >= limit ? older.popFirst() : nil
  }

  mutating func removeAll() {
    self = ReplayBuffer(limit: limit)
  }
}

extension ReplayBuffer: Sendable where Element: Sendable {}
