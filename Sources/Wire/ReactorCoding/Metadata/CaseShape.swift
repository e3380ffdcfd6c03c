/// The JSON form of an enum case, derived from the coding keys of its payload.
///
/// Synthesized code opens `container(keyedBy: CodingKeys.self)` and in it exactly one
/// `nestedContainer(keyedBy: FollowCodingKeys.self, forKey: .follow)`. Encoder and decoder both
/// derive the form from the inner keys, so that they agree.
enum CaseShape: UInt {
  /// The keys do not belong to an enum case.
  case none = 1
  /// The payload is an object with labels, possibly empty.
  case labelled = 2
  /// The payload is a single unlabelled value, whose only key is `_0`.
  case single = 3

  /// The key that Swift synthesizes for the first unlabelled value.
  static let singleLabel = "_0"

  /// Returns the shape of the case with these keys.
  @inline(__always)
  static func of<Key: CodingKey, Outer: CodingKey>(
    _ key: Key.Type, forKey outer: Outer
  ) -> CaseShape {
    let identity = ObjectIdentifier(key)
    if let known = cache[identity] { return known }
    let shape = EnumMetadata.isReadable ? derived(from: key) : derived(from: key, forKey: outer)
    cache[identity] = shape
    return shape
  }

  private static let cache = CaseShapeCache()

  @inline(never)
  private static func derived<Key: CodingKey>(from key: Key.Type) -> CaseShape {
    EnumMetadata(key)?.isCodingKeysOfCase == true ? payloadShape(key) : .none
  }

  /// Derives the shape without metadata, from the name of the synthesized keys of a case:
  /// `FollowCodingKeys` for `follow`.
  ///
  /// Unlike ``derived(from:)``, this function does not recognize a case whose key is renamed, and
  /// mistakes a nested container of a struct for a case if its keys have a name of this form.
  @inline(never)
  static func derived<Key: CodingKey, Outer: CodingKey>(
    from key: Key.Type, forKey outer: Outer
  ) -> CaseShape {
    let name = outer.stringValue
    let synthesized = name.prefix(1).uppercased() + name.dropFirst() + "CodingKeys"
    let isSynthesized =
      String(describing: Outer.self) == "CodingKeys" && String(describing: key) == synthesized
    return isSynthesized ? payloadShape(key) : .none
  }

  private static func payloadShape<Key: CodingKey>(_ key: Key.Type) -> CaseShape {
    // An enum with one case has size 0.
    let isSingle = MemoryLayout<Key>.size == 0 && Key(stringValue: singleLabel) != nil
    return isSingle ? .single : .labelled
  }

  /// Whether a string in place of an object with these keys can be the name of an enum case.
  ///
  /// Without metadata this is true for all synthesized keys, including those of a struct. A string
  /// in place of the struct is then rejected when its first member is decoded.
  static func mayBeCaseName<Key: CodingKey>(_ key: Key.Type) -> Bool {
    guard EnumMetadata.isReadable else { return String(describing: key) == "CodingKeys" }
    return EnumMetadata(key)?.isInsideEnum == true
  }

  /// Returns the names of an enum of keys in order, or `nil` if they cannot be listed.
  static func names<Key: CodingKey>(of type: Key.Type) -> [String]? {
    allKeys(of: type)?.map(\.stringValue)
  }

  /// Returns all values of an enum of keys, or `nil` if they cannot be listed.
  static func allKeys<Key: CodingKey>(of type: Key.Type) -> [Key]? {
    guard let keys = EnumMetadata.allCases(of: type) else { return nil }
    // Values created from their index must survive the round trip through their name.
    guard keys.allSatisfy({ Key(stringValue: $0.stringValue)?.stringValue == $0.stringValue })
    else {
      return nil
    }
    return keys
  }
}
