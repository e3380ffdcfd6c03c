/// The last elements of a stream, as many as a limit allows.
struct ReplayBuffer<Element> {
  private let limit: Int
  private var kept: Fifo<Element>

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

  /// Takes an element in.
  ///
  /// - Returns: The element that had to leave for it.
  mutating func append(_ element: Element) -> Element? {
    guard limit > 0 else { return nil }
    defer { kept.append(element) }
    return kept.count >= limit ? kept.popFirst() : nil
  }

  mutating func removeAll() {
    kept = Fifo()
  }
}
