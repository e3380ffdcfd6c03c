/// The last elements of a stream, up to a limit.
@usableFromInline
struct ReplayBuffer<Element> {
  @usableFromInline let limit: Int
  @usableFromInline var kept: Fifo<Element>

  init(limit: Int, _ seed: [Element] = []) {
    self.limit = limit
    kept = Fifo(seed.suffix(max(0, limit)))
  }

  /// The newest element.
  var latest: Element? {
    kept.last
  }

  /// The elements, the oldest first.
  var elements: [Element] {
    kept.elements
  }

  /// Adds an element.
  ///
  /// - Returns: The element that was removed for it.
  @inlinable
  mutating func append(_ element: Element) -> Element? {
    guard limit > 0 else { return nil }
    defer { kept.append(element) }
    return kept.count >= limit ? kept.popFirst() : nil
  }

  mutating func removeAll() {
    kept = Fifo()
  }
}

extension ReplayBuffer: Sendable where Element: Sendable {}
