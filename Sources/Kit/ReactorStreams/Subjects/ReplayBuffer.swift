/// The last elements of a stream, up to a limit.
@usableFromInline
struct ReplayBuffer<Element> {
  @usableFromInline let limit: Int
  @usableFromInline var buffered: Fifo<Element>

  init(limit: Int, _ seed: [Element] = []) {
    self.limit = limit
    buffered = Fifo(seed.suffix(max(0, limit)))
  }

  /// The newest element.
  var latest: Element? {
    buffered.last
  }

  /// The elements, the oldest first.
  var elements: [Element] {
    buffered.elements
  }

  /// Adds an element.
  ///
  /// - Returns: The element that was removed because the limit was reached.
  @inlinable
  mutating func append(_ element: Element) -> Element? {
    guard limit > 0 else { return nil }
    defer { buffered.append(element) }
    return buffered.count >= limit ? buffered.popFirst() : nil
  }

  mutating func removeAll() {
    buffered = Fifo()
  }
}

extension ReplayBuffer: Sendable where Element: Sendable {}
