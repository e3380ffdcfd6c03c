/// Which JSON form the case of an enum takes, as told from the keys of its payload.
///
/// Synthesized code opens `container(keyedBy: CodingKeys.self)` and in it exactly one
/// `nestedContainer(keyedBy: FollowCodingKeys.self, forKey: .follow)`. Encoder and decoder both ask
/// here about the inner keys, so what the one shortens the other reads back.
enum CaseShape: UInt {
  /// The keys belong to no case of an enum.
  case none = 1
  /// The payload is an object with labels; it may be empty.
  case labelled = 2
  /// The payload is one value without a label, whose only key is `_0`.
  case single = 3

  /// The key that Swift gives to the first payload without a label.
  static let singleLabel = "_0"

  /// The shape of the case that has these keys.
  @inline(__always)
  static func of<Key: CodingKey>(_ key: Key.Type) -> CaseShape {
    let identity = ObjectIdentifier(key)
    if let known = cache[identity] { return known }
    let shape = derived(from: key)
    cache[identity] = shape
    return shape
  }

  private static let cache = CaseShapeCache()

  @inline(never)
  private static func derived<Key: CodingKey>(from key: Key.Type) -> CaseShape {
    guard EnumMetadata(key)?.isCodingKeysOfCase == true else { return .none }
    // An enum of one case takes no space.
    let isSingle = MemoryLayout<Key>.size == 0 && Key(stringValue: singleLabel) != nil
    return isSingle ? .single : .labelled
  }

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
