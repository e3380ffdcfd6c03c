/// One value, or one member name, of a parsed text: an entry of the document's tape.
///
/// The tape lists values in the order of the text, a container before its content; in an object
/// each value directly follows its name. Sixteen bytes each, no pointers.
struct JSONNode {
  /// Where the value's first byte stands in the text.
  var start: UInt32

  /// Where the value's last byte stands, plus one.
  var end: UInt32

  /// The index of the first node after this value and all of its content.
  ///
  /// While the parser is inside a container, the index of the container around it instead.
  var next: UInt32

  /// How many elements or members a container has; counting stops at 65,535.
  var count: UInt16

  /// What the value is.
  var kind: JSONKind

  /// Whether a string contains a backslash, so that its bytes are not its content.
  var hasEscapes: Bool

  /// The `next` of the outermost container while it is open.
  static let noParent = UInt32.max
}
