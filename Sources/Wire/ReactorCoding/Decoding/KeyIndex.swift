/// Maps the names of a large object to their values, so that looking up all members takes linear
/// time.
///
/// Without the index, decoding a dictionary of n members would take n² name comparisons.
final class KeyIndex: Sendable {
  /// Objects with at most this many members are searched linearly.
  static let threshold = 16

  private let nodes: [UTF8Text: UInt32]

  /// Indexes an object; the last of several members with the same name wins.
  init(of object: UInt32, in document: JSONDocument) {
    var nodes: [UTF8Text: UInt32] = [:]
    let end = document.node(object).next
    var index = object + 1
    while index < end {
      nodes[UTF8Text(document.string(document.node(index)))] = index + 1
      index = document.node(index + 1).next
    }
    self.nodes = nodes
  }

  /// Returns the value node of a member.
  func value(named name: String) -> UInt32? {
    nodes[UTF8Text(name)]
  }
}
