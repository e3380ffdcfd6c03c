/// An array that stores its first element inline, so that one element needs no allocation.
struct SmallArray<Element> {
  private var first: Element?
  private var others: [Element] = []

  init() {}

  /// Whether the array has no elements.
  var isEmpty: Bool { first == nil }

  var count: Int { first == nil ? 0 : 1 + others.count }

  /// The last element, or `nil` if the array is empty.
  var last: Element? { others.last ?? first }

  /// Adds an element at the end.
  mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  /// Replaces the last element of an array that is not empty.
  mutating func replaceLast(with element: Element) {
    if others.isEmpty { first = element } else { others[others.count - 1] = element }
  }

  /// Removes all elements and returns them.
  mutating func removeAll() -> SmallArray {
    var removed = SmallArray()
    swap(&self, &removed)
    return removed
  }

  /// Removes the elements that satisfy a predicate and returns them, in order.
  mutating func removeAll(where predicate: (Element) -> Bool) -> SmallArray {
    // The common case: a single element, which is removed.
    if let first, others.isEmpty { return predicate(first) ? removeAll() : SmallArray() }
    var (removed, remaining) = (SmallArray(), SmallArray())
    forEach { predicate($0) ? removed.append($0) : remaining.append($0) }
    self = remaining
    return removed
  }

  /// Calls a closure with each element, in order.
  func forEach(_ body: (Element) -> Void) {
    if let first { body(first) }
    for element in others { body(element) }
  }
}

extension SmallArray: Sendable where Element: Sendable {}
