/// Where the members of a large object are, so that finding all of them takes linear time.
///
/// A dictionary looks up each of its keys; without this, a body with a hundred thousand members
/// would keep a thread busy for minutes.
final class KeyIndex: Sendable {
  /// Objects with no more members than this are searched instead.
  static let threshold = 16

  private let nodes: [Name: UInt32]

  /// Indexes an object; of members with the same name the last one counts.
  init(of object: UInt32, in document: JSONDocument) {
    var nodes: [Name: UInt32] = [:]
    let end = document.node(object).next
    var index = object + 1
    while index < end {
      nodes[Name(text: document.string(document.node(index)))] = index + 1
      index = document.node(index + 1).next
    }
    self.nodes = nodes
  }

  /// The value node of a member.
  func value(named name: String) -> UInt32? {
    nodes[Name(text: name)]
  }

  /// A name that equals another only if its bytes do: JSON knows no canonical equivalence.
  private struct Name: Hashable {
    let text: String

    static func == (left: Name, right: Name) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }
}
