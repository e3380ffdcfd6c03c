/// A tape entry: one value or one member name of a parsed text.
///
/// The tape lists values in source order, a container before its content; in an object each value
/// directly follows its name. An entry has 16 bytes and no pointers.
struct JSONNode {
  /// The offset of the first byte.
  var start: UInt32

  /// The offset after the last byte.
  var end: UInt32

  /// The index of the first node after this value and its content.
  ///
  /// While the parser is inside a container, the index of the enclosing container.
  var next: UInt32

  /// The number of elements or members of a container; saturates at 65,535.
  var count: UInt16

  /// The kind of the value.
  var kind: JSONKind

  /// Whether a string contains escapes, so that its bytes differ from its content.
  var hasEscapes: Bool

  /// The `next` of the outermost container while it is open.
  static let noParent = UInt32.max
}
