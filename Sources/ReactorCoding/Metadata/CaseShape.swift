/// Which JSON form the case of an enum takes, as told from the coding keys that Swift synthesizes.
///
/// Encoder and decoder both ask here, so what the one shortens the other reads back.
enum CaseShape {
  /// Whether a container nested like this holds the payload of an enum's case.
  ///
  /// Synthesized code opens `container(keyedBy: CodingKeys.self)` and in it exactly one
  /// `nestedContainer(keyedBy: FollowCodingKeys.self, forKey: .follow)`.
  @inline(__always)
  static func isCase<Outer: CodingKey, Inner: CodingKey>(
    _ outer: Outer.Type, _ inner: Inner.Type
  ) -> Bool {
    guard let outer = EnumMetadata(outer), let inner = EnumMetadata(inner) else { return false }
    return inner.isCodingKeysOfCase(beside: outer)
  }

  /// Whether the payload is one value without a label, whose only key is `_0`.
  ///
  /// An enum of one case takes no space.
  @inline(__always)
  static func isSingleUnlabelled<Key: CodingKey>(_ key: Key.Type) -> Bool {
    MemoryLayout<Key>.size == 0 && Key(stringValue: singleLabel) != nil
  }

  /// The key that Swift gives to the first payload without a label.
  static let singleLabel = "_0"

  /// The names of an enum's keys, in order; `nil` if they cannot be known.
  static func names<Key: CodingKey>(of type: Key.Type) -> [String]? {
    allKeys(of: type)?.map(\.stringValue)
  }

  /// The keys of an enum of keys; `nil` if they cannot be known.
  static func allKeys<Key: CodingKey>(of type: Key.Type) -> [Key]? {
    guard let keys = EnumMetadata.allCases(of: type) else { return nil }
    // What was made from numbers must survive the way through its name.
    guard keys.allSatisfy({ Key(stringValue: $0.stringValue)?.stringValue == $0.stringValue })
    else {
      return nil
    }
    return keys
  }
}
