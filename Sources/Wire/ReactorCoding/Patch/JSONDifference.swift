/// Computes the JSON Patch (RFC 6902) between two values.
///
/// The patch consists of `add`, `remove` and `replace`. Members are compared by name; inserted,
/// removed and appended elements are detected. Where the operations within an object or array would
/// be longer than its new text, the whole value is replaced. The patch is therefore at most
/// slightly longer than the new value, and is computed in time linear in both texts.
public enum JSONDifference {
  /// Returns the patch from `old` to `new` as JSON; `[]` if the texts are equal.
  public static func patch(from old: JSONDocument, to new: JSONDocument) -> [UInt8] {
    var writer = DifferenceWriter(old, new)
    writer.compare(0, 0)
    return writer.finish()
  }

  /// Returns the patch between two texts encoded by this module.
  public static func patch(from old: [UInt8], to new: [UInt8]) -> [UInt8] {
    if let old = try? JSONDocument(parsing: old),
      let new = try? JSONDocument(parsing: new, after: old)
    {
      return patch(from: old, to: new)
    }
    // A text is nested deeper than the limit of the parser: replace the whole value.
    return Array(#"[{"op":"replace","path":"","value":"#.utf8) + new + Array("}]".utf8)
  }
}

/// Traverses two documents in parallel and writes the operations.
private struct DifferenceWriter {
  /// The size of a `replace` operation without its path and value.
  private static let replacementSize = #"{"op":"replace","path":"","value":}"#.utf8.count

  private let old: JSONDocument
  private let new: JSONDocument
  private var output: [UInt8] = [ASCII.openBracket]
  /// The pointer to the current position, escaped for a JSON string.
  private var path: [UInt8] = []
  /// The output size beyond which an enclosing value is replaced as a whole.
  ///
  /// Writing stops there, so that long paths to many members take linear time.
  private var limit = Int.max
  /// Whether writing has stopped at the limit.
  private var hasReachedLimit = false

  init(_ old: JSONDocument, _ new: JSONDocument) {
    self.old = old
    self.new = new
  }

  mutating func finish() -> [UInt8] {
    output.append(ASCII.closeBracket)
    return output
  }

  /// Compares two values at the same position.
  mutating func compare(_ left: UInt32, _ right: UInt32) {
    guard !hasReachedLimit, !areEqual(left, right) else { return }
    let start = output.count
    // Replacing the whole value may be shorter.
    let node = new.node(right)
    let separator = start > 1 ? 1 : 0
    let replacement = separator + Self.replacementSize + path.count + Int(node.end - node.start)
    let outerLimit = limit
    limit = min(outerLimit, start + replacement)
    defer { limit = outerLimit }
    switch (old.node(left).kind, new.node(right).kind) {
    case (.object, .object):
      guard compareMembers(left, right) else { return write("replace", value: right) }
    case (.array, .array): compareElements(left, right)
    default: return write("replace", value: right)
    }
    guard output.count > start + replacement || (hasReachedLimit && limit < outerLimit) else {
      return
    }
    hasReachedLimit = false
    output.removeLast(output.count - start)
    write("replace", value: right)
  }

  private func areEqual(_ left: UInt32, _ right: UInt32) -> Bool {
    let (left, right) = (old.node(left), new.node(right))
    let (former, latter) = (old.bytes, new.bytes)
    return former.span.extracting(Int(left.start)..<Int(left.end)).hasSameBytes(
      as: latter.span.extracting(Int(right.start)..<Int(right.end)))
  }

  // MARK: Objects

  /// Compares members by name.
  ///
  /// - Returns: `false` if a name occurs twice, so that members cannot be compared by name.
  private mutating func compareMembers(_ left: UInt32, _ right: UInt32) -> Bool {
    let removed = old.names(of: left)
    let added = new.names(of: right)
    if removed.elementsEqual(added, by: areEqual) {
      // The usual case: the same members in the same order. A duplicate name then occurs in both,
      // and its last member counts.
      guard !old.hasRepeatedName(removed) else { return false }
      for (name, other) in zip(removed, added) { compareMember(name, other) }
      return true
    }
    var others: [UTF8Text: UInt32] = [:]
    for name in added where others.updateValue(name, forKey: new.text(of: name)) != nil {
      return false
    }
    guard !old.hasRepeatedName(removed) else { return false }
    for name in removed {
      if let other = others.removeValue(forKey: old.text(of: name)) {
        compareMember(name, other)
      } else {
        descend(to: name, in: old) { $0.write("remove") }
      }
    }
    for name in added where others[new.text(of: name)] != nil {
      descend(to: name, in: new) { $0.write("add", value: name + 1) }
    }
    return true
  }

  private mutating func compareMember(_ name: UInt32, _ other: UInt32) {
    // The usual case: an equal member needs no path.
    guard !areEqual(name + 1, other + 1) else { return }
    descend(to: other, in: new) { $0.compare(name + 1, other + 1) }
  }

  // MARK: Arrays

  private mutating func compareElements(_ left: UInt32, _ right: UInt32) {
    let before = elements(old, left)
    let after = elements(new, right)
    let shorter = min(before.count, after.count)
    var start = 0
    while start < shorter, areEqual(before[start], after[start]) { start += 1 }
    var end = 0
    while end < shorter - start,
      areEqual(before[before.count - 1 - end], after[after.count - 1 - end])
    {
      end += 1
    }
    let removed = before[start..<(before.count - end)]
    let added = after[start..<(after.count - end)]

    var position = start
    var (nextOld, nextNew) = (removed.startIndex, added.startIndex)
    for pair in pairs(removed, added) {
      let (old, new) = (removed.startIndex + pair.old, added.startIndex + pair.new)
      change(removed[nextOld..<old], to: added[nextNew..<new], at: &position)
      position += 1
      (nextOld, nextNew) = (old + 1, new + 1)
    }
    change(removed[nextOld...], to: added[nextNew...], at: &position)
  }

  /// Aligns the elements between the common prefix and the common suffix of two arrays.
  private func pairs(
    _ removed: ArraySlice<UInt32>, _ added: ArraySlice<UInt32>
  ) -> [(old: Int, new: Int)] {
    guard !removed.isEmpty, !added.isEmpty, removed.count > 1 || added.count > 1 else { return [] }
    let alignment = SequenceAlignment(removed.count, added.count) { left, right in
      areEqual(removed[removed.startIndex + left], added[added.startIndex + right])
    }
    return alignment?.pairs ?? []
  }

  /// Writes the operations that turn some elements into others at the same position.
  private mutating func change(
    _ removed: ArraySlice<UInt32>, to added: ArraySlice<UInt32>, at position: inout Int
  ) {
    for (left, right) in zip(removed, added) {
      descend(to: position) { $0.compare(left, right) }
      position += 1
    }
    for _ in removed.dropFirst(added.count) {
      descend(to: position) { $0.write("remove") }
    }
    for right in added.dropFirst(removed.count) {
      descend(to: position) { $0.write("add", value: right) }
      position += 1
    }
  }

  private func elements(_ document: JSONDocument, _ array: UInt32) -> [UInt32] {
    var elements: [UInt32] = []
    var index = array + 1
    while index < document.node(array).next {
      elements.append(index)
      index = document.node(index).next
    }
    return elements
  }

  // MARK: Writing

  /// Descends into the member whose name is at a node of a document.
  private mutating func descend(
    to name: UInt32, in document: JSONDocument, _ body: (inout DifferenceWriter) -> Void
  ) {
    let length = path.count
    path.append(ASCII.slash)
    let node = document.node(name)
    if node.hasEscapes {
      var quoted: [UInt8] = []
      quoted.appendJSON(document.string(node))
      appendToken(quoted[1..<(quoted.count - 1)])
    } else {
      appendToken(document.bytes[(Int(node.start) + 1)..<(Int(node.end) - 1)])
    }
    body(&self)
    path.removeLast(path.count - length)
  }

  private mutating func appendToken(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "~"): path += [byte, ASCII.zero]
      case ASCII.slash: path += [UInt8(ascii: "~"), UInt8(ascii: "1")]
      default: path.append(byte)
      }
    }
  }

  /// Descends into the element at a position.
  private mutating func descend(to position: Int, _ body: (inout DifferenceWriter) -> Void) {
    let length = path.count
    path.append(ASCII.slash)
    path.appendJSON(position)
    body(&self)
    path.removeLast(path.count - length)
  }

  private mutating func write(_ operation: String, value: UInt32? = nil) {
    let valueSize = value.map { Int(new.node($0).end - new.node($0).start) } ?? 0
    guard !hasReachedLimit, output.count + path.count + valueSize <= limit else {
      hasReachedLimit = true
      return
    }
    if output.count > 1 { output.append(ASCII.comma) }
    output += #"{"op":""#.utf8
    output += operation.utf8
    output += #"","path":""#.utf8
    output += path
    if let value {
      let node = new.node(value)
      output += #"","value":"#.utf8
      output += new.bytes[Int(node.start)..<Int(node.end)]
      output.append(ASCII.closeBrace)
    } else {
      output += #""}"#.utf8
    }
  }
}
