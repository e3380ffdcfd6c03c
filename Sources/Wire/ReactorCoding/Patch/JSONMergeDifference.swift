/// Computes the JSON Merge Patch (RFC 7396) between two values.
///
/// A Merge Patch cannot express `null`: a member that is `null` in the new value is removed. Arrays
/// are replaced as a whole. The time is linear in both texts.
public enum JSONMergeDifference {
  /// Returns the patch from `old` to `new` as JSON; `{}` if two objects are equal.
  ///
  /// If the two are not both objects, the patch is the new value.
  public static func patch(from old: JSONDocument, to new: JSONDocument) -> [UInt8] {
    var writer = MergeWriter(old: old, new: new)
    writer.writeChange(0, 0)
    return writer.output
  }
}

/// Traverses the objects of two documents in parallel and writes the members that differ.
private struct MergeWriter {
  let old: JSONDocument
  let new: JSONDocument
  private(set) var output: [UInt8] = []

  init(old: JSONDocument, new: JSONDocument) {
    self.old = old
    self.new = new
  }

  /// Writes the patch between two values at the same position.
  mutating func writeChange(_ left: UInt32, _ right: UInt32) {
    guard old.node(left).kind == .object, new.node(right).kind == .object else {
      output += new.text(at: right)
      return
    }
    output.append(ASCII.openBrace)
    let removed = old.names(of: left)
    let added = new.names(of: right)
    // The usual case: the same members in the same order.
    if removed.elementsEqual(added, by: { old.text(at: $0) == new.text(at: $1) }),
      !old.hasRepeatedName(removed)
    {
      var isFirst = true
      for (name, other) in zip(removed, added) { writeMember(name, other, &isFirst) }
    } else {
      writeMembers(removed, added)
    }
    output.append(ASCII.closeBrace)
  }

  /// Writes the members of two objects with different names; the last member with a name counts.
  private mutating func writeMembers(_ removed: [UInt32], _ added: [UInt32]) {
    let before = Dictionary(removed.map { (old.text(of: $0), $0) }) { $1 }
    let after = Dictionary(added.map { (new.text(of: $0), $0) }) { $1 }
    var isFirst = true
    for name in removed where before[old.text(of: name)] == name {
      if let other = after[old.text(of: name)] {
        writeMember(name, other, &isFirst)
      } else {
        begin(old.text(at: name), &isFirst)
        output.appendJSONNull()
      }
    }
    for name in added where after[new.text(of: name)] == name {
      guard before[new.text(of: name)] == nil else { continue }
      begin(new.text(at: name), &isFirst)
      output += new.text(at: name + 1)
    }
  }

  /// Writes the change of a member that both objects have.
  private mutating func writeMember(_ name: UInt32, _ other: UInt32, _ isFirst: inout Bool) {
    guard old.text(at: name + 1) != new.text(at: other + 1) else { return }
    begin(new.text(at: other), &isFirst)
    writeChange(name + 1, other + 1)
  }

  private mutating func begin(_ name: ArraySlice<UInt8>, _ isFirst: inout Bool) {
    if !isFirst { output.append(ASCII.comma) }
    isFirst = false
    output += name
    output.append(ASCII.colon)
  }
}
