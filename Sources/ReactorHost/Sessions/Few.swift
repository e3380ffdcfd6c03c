/// A list that mostly has one element, for which nothing is allocated then.
struct Few<Element> {
  private var first: Element?
  private var others: [Element] = []

  /// Makes an empty list.
  init() {}

  /// Whether there is nothing in it.
  var isEmpty: Bool { first == nil }

  /// How many elements there are.
  var count: Int { first == nil ? 0 : 1 + others.count }

  /// The element that was added last.
  var last: Element? { others.last ?? first }

  /// Adds an element behind the others.
  mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  /// Takes out all elements.
  mutating func takeAll() -> Few {
    var taken = Few()
    swap(&self, &taken)
    return taken
  }

  /// Takes out those elements for which a condition holds.
  mutating func takeAll(where condition: (Element) -> Bool) -> Few {
    // Mostly there is one, and what it waited for has come.
    if let first, others.isEmpty { return condition(first) ? takeAll() : Few() }
    var (taken, left) = (Few(), Few())
    forEach { condition($0) ? taken.append($0) : left.append($0) }
    self = left
    return taken
  }

  /// Calls a body with each element, in order.
  func forEach(_ body: (Element) -> Void) {
    if let first { body(first) }
    for element in others { body(element) }
  }
}

extension Few: Sendable where Element: Sendable {}
