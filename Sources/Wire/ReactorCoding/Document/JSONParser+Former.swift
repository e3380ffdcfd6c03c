/// Parses a text that resembles one that is parsed already: the nodes of the elements and members that
/// both texts have are copied.
///
/// The tape is the one without the former text. Comparing takes a small part of the time of parsing.
extension JSONParser {
  /// The container of the former text at the place of an open one.
  struct FormerContainer {
    /// The node of its next element, or of the name of its next member.
    var next: UInt32
    /// The node after its last one; an absent container has none.
    let end: UInt32
    /// The number of elements after the last one that both texts have; at most half of the window.
    var misses: UInt32 = 0
  }

  /// The number of elements in which the next one of the new text is searched: removed ones precede it.
  private static var window: UInt32 { 8 }

  /// Parses a text beside a former one, see `parse(_:)`.
  mutating func parse(
    _ text: Span<UInt8>, after former: JSONDocument
  ) throws(JSONSyntaxError) {
    self.former = former
    nodes.reserveCapacity(min(former.nodes.count, text.count) + 64)
    try parse(text)
  }

  /// Parses the value at the position if the former text has it at this place.
  ///
  /// - Returns: Whether the value was parsed. If not, `pair` is the value that the former text has instead.
  mutating func copyValue(_ text: Span<UInt8>, from former: JSONDocument) -> Bool {
    pair = nil
    guard var container = containers.popLast() else {
      pair = 0
      return copy(0, of: former, to: text)
    }
    defer { containers.append(container) }
    let isObject = nodes[Int(open)].kind == .object
    var candidate = container.next
    var afterFirst = container.end
    for step in 0..<Self.window {
      guard candidate < container.end else { break }
      let value = isObject ? candidate + 1 : candidate
      let following = former.node(value).next
      if step == 0 { afterFirst = following }
      let isCandidate = !isObject || hasName(at: candidate, of: former, text)
      if isCandidate, copy(value, of: former, to: text) {
        container.next = following
        container.misses = 0
        return true
      }
      if isObject ? isCandidate : step == container.misses { pair = value }
      if isObject, isCandidate {
        container.next = following
        container.misses = 0
        return false
      }
      candidate = following
    }
    // An added value, or one of several that were changed.
    if container.misses < Self.window / 2 {
      container.misses += 1
    } else {
      container.next = afterFirst
    }
    return false
  }

  /// Whether a member of the former text has the name that was parsed last.
  private func hasName(at name: UInt32, of former: JSONDocument, _ text: Span<UInt8>) -> Bool {
    guard let own = nodes.last else { return false }
    let other = former.node(name)
    let bytes = former.bytes
    return text.extracting(Int(own.start)..<Int(own.end)).hasSameBytes(
      as: bytes.span.extracting(Int(other.start)..<Int(other.end)))
  }

  /// Appends the nodes of a value of the former text, if the text at the position is the same.
  private mutating func copy(
    _ value: UInt32, of former: JSONDocument, to text: Span<UInt8>
  ) -> Bool {
    let node = former.node(value)
    let moved = UInt32(truncatingIfNeeded: position) &- node.start
    let end = position + Int(node.end - node.start)
    guard end <= text.count, hasCommonBytes(until: end, moved, from: former, text) else {
      return false
    }
    // Digits can follow an equal number.
    if end < text.count {
      switch text[end] {
      case ASCII.comma, ASCII.closeBracket, ASCII.closeBrace: break
      default: return false
      }
    }
    if open != JSONNode.noParent, nodes[Int(open)].count < .max { nodes[Int(open)].count += 1 }
    let renumbered = UInt32(truncatingIfNeeded: nodes.count) &- value
    let first = nodes.count
    nodes.append(contentsOf: former.nodes[Int(value)..<Int(node.next)])
    if moved != 0 || renumbered != 0 {
      var copies = nodes.mutableSpan
      for index in first..<copies.count {
        copies[index].start &+= moved
        copies[index].end &+= moved
        copies[index].next &+= renumbered
      }
    }
    position = end
    return true
  }

  /// Whether the bytes from the position to an end are those of the former text before they were moved.
  private mutating func hasCommonBytes(
    until end: Int, _ moved: UInt32, from former: JSONDocument, _ text: Span<UInt8>
  ) -> Bool {
    // The containers around were compared up to the first difference.
    if moved == compared.moved, compared.from <= position, position <= compared.end {
      return end <= compared.end
    }
    let bytes = former.bytes
    let start = Int(UInt32(truncatingIfNeeded: position) &- moved)
    let common = text.extracting(position..<end).commonLength(
      with: bytes.span.extracting(start..<start + end - position))
    compared = (position, position + common, moved)
    return position + common == end
  }

  /// Records the container of the former text at the place of one that was opened.
  mutating func enterContainer(_ kind: JSONKind, of former: JSONDocument) {
    var container = FormerContainer(next: 0, end: 0)
    if let pair, former.node(pair).kind == kind {
      container = FormerContainer(next: pair + 1, end: former.node(pair).next)
    }
    containers.append(container)
  }
}
